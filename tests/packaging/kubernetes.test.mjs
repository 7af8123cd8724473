/*
 * The Kubernetes manifests: they can be parsed, fit each other, and run `gstack run` as this version knows it. No cluster.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { GSTACK } from '../e2e/harness/home.mjs';

const { parse, parseAllDocuments } = createRequire(new URL('../extension/package.json', import.meta.url))('yaml');
const read = (name) => readFileSync(new URL(`../../packaging/kubernetes/${name}`, import.meta.url), 'utf8');
const values = parse(read('grid-values.yaml'));
const documents = parseAllDocuments(read('run-job.yaml'));
const manifests = Object.fromEntries(documents.map((one) => [one.toJS().kind, one.toJS()]));
const pod = manifests.Job.spec.template.spec;
const [container] = pod.containers;
const script = container.args[0];

test('every document is whole, and each volume that is mounted is declared', () => {
  for (const one of documents) assert.deepEqual([one.errors, one.warnings], [[], []]);
  assert.deepEqual(Object.keys(manifests), ['PersistentVolumeClaim', 'NetworkPolicy', 'Job']);
  const declared = pod.volumes.map(({ name }) => name).sort();
  assert.deepEqual(container.volumeMounts.map(({ name }) => name).sort(), declared);
  const claim = pod.volumes.find((one) => one.persistentVolumeClaim).persistentVolumeClaim.claimName;
  assert.equal(claim, manifests.PersistentVolumeClaim.metadata.name);
  assert.equal(manifests.Job.spec.podFailurePolicy.rules[0].onExitCodes.containerName, container.name);
});

test('the job reaches the grid of the values, and nothing else but the names of hosts', () => {
  const router = values.components.router.nameOverride;
  assert.match(script, new RegExp(`--grid http://${router}:4444 `));
  const policy = manifests.NetworkPolicy.spec;
  assert.deepEqual(policy.podSelector.matchLabels, manifests.Job.spec.template.metadata.labels);
  const [names, grid] = policy.egress;
  assert.deepEqual(new Set(names.ports.map(({ port }) => port)), new Set([53]));
  assert.deepEqual(grid, { to: [{ podSelector: { matchLabels: { app: router } } }], ports: [{ port: 4444, protocol: 'TCP' }] });
  assert.deepEqual(policy.policyTypes, ['Ingress', 'Egress']);
  assert.equal(policy.ingress, undefined);
  assert.equal(values.ingress.enabled, false);
});

test('the job runs as nobody special, and asks for no more browsers than the grid may have', () => {
  assert.equal(pod.securityContext.runAsNonRoot, true);
  assert.equal(pod.automountServiceAccountToken, false);
  assert.equal(container.securityContext.allowPrivilegeEscalation, false);
  const asked = Number(/--browsers (\d+)/.exec(script)[1]);
  assert(asked <= values.autoscaling.scaledOptions.maxReplicaCount);
});

test('each option of the job is one of `gstack run`', () => {
  const help = execFileSync(GSTACK, ['help', 'run'], { encoding: 'utf8' });
  const options = [...script.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option);
  assert.deepEqual(new Set(options), new Set(['--resume', '--items', '--browsers', '--grid', '--out']));
  for (const option of options) assert(help.includes(option), `${option} is not an option of gstack run`);
});
