// Writes a reproducible zip: uncompressed, sorted, with one fixed time. Source: APPNOTE.TXT 6.3.10, sections 4.3.7
// (local header), 4.3.12 (central directory) and 4.3.16 (its end).

// 1980-01-01 00:00, the earliest time that a zip can store.
const TIME = 0;
const DATE = (0 << 9) | (1 << 5) | 1;
/** Version 2.0, which every reader supports; names are UTF-8. */
const VERSION = 20;
const UTF8 = 0x0800;
/** A plain file with mode 0644, created on Unix. */
const MADE_BY = (3 << 8) | VERSION;
const ATTRIBUTES = (0o100644 << 16) >>> 0;

const TABLE = Uint32Array.from({ length: 256 }, (_, at) => {
  let value = at;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

const crc32 = (bytes) => (bytes.reduce((sum, byte) => TABLE[(sum ^ byte) & 255] ^ (sum >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

/** @param {[string, Buffer][]} files names with `/`, in the order of the archive */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(UTF8, 2);
    common.writeUInt16LE(0, 4);
    common.writeUInt16LE(TIME, 6);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    common.writeUInt16LE(0, 24);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(MADE_BY);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(ATTRIBUTES, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), madeBy, common, rest, path);
    const local = [Buffer.from('PK\x03\x04'), common, path, bytes];
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}
