// The bill of materials in CycloneDX 1.5: every crate that is linked into the program of a release, from `cargo metadata` and
// Cargo.lock, and the libraries that the extension bundles. Source: https://cyclonedx.org/docs/1.5/json/
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { epoch } from './files.mjs';
import { TARGETS } from './targets.mjs';

const purl = ({ name, version }) => `pkg:cargo/${encodeURIComponent(name)}@${encodeURIComponent(version)}`;

/** Returns the SHA-256 of each crate's archive, by `name version`. */
function checksums(root) {
  const sums = new Map();
  for (const block of readFileSync(join(root, 'Cargo.lock'), 'utf8').split('[[package]]')) {
    const field = (name) => block.match(new RegExp(`^${name} = "(.*)"$`, 'm'))?.[1];
    if (field('checksum')) sums.set(`${field('name')} ${field('version')}`, field('checksum'));
  }
  return sums;
}

/**
 * Returns the packages that the program consists of: the normal and build dependencies of the root and of the other
 * crates of the workspace. Cargo resolves the features that only tests turn on too, so an optional dependency of a crate
 * of the workspace does not count.
 */
function linked(metadata) {
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const packages = new Map(metadata.packages.map((one) => [one.id, one]));
  const members = new Set(metadata.workspace_members);
  const isOptional = (id, other) =>
    members.has(id) && packages.get(id).dependencies.some(({ name, optional }) => optional && name === packages.get(other).name);
  const edges = (id) =>
    nodes
      .get(id)
      .deps.filter((dependency) => dependency.dep_kinds.some(({ kind }) => kind !== 'dev'))
      .map((dependency) => dependency.pkg)
      .filter((other) => !isOptional(id, other));
  const found = new Map();
  const open = [metadata.resolve.root];
  while (open.length > 0) {
    const id = open.pop();
    if (found.has(id)) continue;
    found.set(id, [...new Set(edges(id))]);
    open.push(...found.get(id));
  }
  return found;
}

/** @param {{root: string, vendored: {name: string, version: string, license: string}[]}} of */
export function sbom({ root, vendored }) {
  const targets = Object.keys(TARGETS).flatMap((target) => ['--filter-platform', target]);
  const command = ['metadata', '--locked', '--format-version', '1', '--manifest-path', join(root, 'Cargo.toml'), ...targets];
  const metadata = JSON.parse(execFileSync('cargo', command, { maxBuffer: 1 << 28, encoding: 'utf8' }));
  const packages = new Map(metadata.packages.map((one) => [one.id, one]));
  const sums = checksums(root);
  const graph = linked(metadata);
  const licenses = (expression) => (expression ? [{ expression: expression.replaceAll('/', ' OR ') }] : undefined);
  const component = (id) => {
    const one = packages.get(id);
    const sum = sums.get(`${one.name} ${one.version}`);
    return {
      type: 'library',
      'bom-ref': purl(one),
      name: one.name,
      version: one.version,
      ...(one.description ? { description: one.description.trim().replace(/\s+/g, ' ') } : {}),
      ...(sum ? { hashes: [{ alg: 'SHA-256', content: sum }] } : {}),
      licenses: licenses(one.license),
      purl: purl(one),
    };
  };
  const own = packages.get(metadata.resolve.root);
  const byRef = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1);
  const carried = vendored.map(({ name, version, license }) => {
    const ref = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type: 'library', 'bom-ref': ref, name, version, licenses: licenses(license), purl: ref };
  });
  const components = [...[...graph.keys()].filter((id) => id !== own.id).map(component), ...carried].sort(byRef);
  const dependencies = [...graph]
    .map(([id, uses]) => ({ ref: purl(packages.get(id)), dependsOn: uses.map((one) => purl(packages.get(one))).sort() }))
    .concat(carried.map((one) => ({ ref: one['bom-ref'], dependsOn: [] })))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
  const of = dependencies.find(({ ref }) => ref === purl(own));
  of.dependsOn = [...of.dependsOn, ...carried.map((one) => one['bom-ref'])].sort();
  // A serial number that is the same for the same content, in the form of a UUID.
  const digest = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  const serial = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch() * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': purl(own),
        name: own.name,
        version: own.version,
        licenses: licenses(own.license),
        purl: purl(own),
      },
    },
    components,
    dependencies,
  };
}
