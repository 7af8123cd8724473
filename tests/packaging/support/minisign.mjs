// Creates signatures like minisign, with test keys. Source: https://jedisct1.github.io/minisign/#signature-format
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** `id`: the key's id; a random one unless an attacker copies another key's. */
export function signer(id = randomBytes(8)) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url');
  const ed25519 = (bytes) => sign(null, bytes, privateKey);
  return {
    id,
    publicKey: Buffer.concat([Buffer.from('Ed'), id, raw]).toString('base64'),
    /** `legacy`: signs the bytes themselves instead of their BLAKE2b, as minisign did before 0.8. */
    sign(text, { comment = 'gstack', legacy = false } = {}) {
      const signature = ed25519(legacy ? Buffer.from(text) : createHash('blake2b512').update(text).digest());
      const line = Buffer.concat([Buffer.from(legacy ? 'Ed' : 'ED'), id, signature]).toString('base64');
      const global = ed25519(Buffer.concat([signature, Buffer.from(comment)])).toString('base64');
      return `untrusted comment: signature\n${line}\ntrusted comment: ${comment}\n${global}\n`;
    },
  };
}
