// The files for Kubernetes parse, and the Job goes on with a run after its pod was moved.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/release.mjs';

const parse = (name) => {
  const program = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
  const file = join(ROOT, 'packaging/kubernetes', name);
  return JSON.parse(execFileSync('python3', ['-c', program, file], { encoding: 'utf8' }));
};

test('the Grid starts its nodes by KEDA', () => {
  const values = parse('grid-values.yaml');
  assert.equal(values.autoscaling.enabled, true);
  assert.equal(values.autoscaling.scaledOptions.minReplicaCount, 0);
  assert(values.chromeNode.resources.limits.memory);
});

test('the Job resumes its run, as a user without privileges, on a volume', () => {
  const { kind, spec } = parse('run-job.yaml');
  assert.equal(kind, 'Job');
  const pod = spec.template.spec;
  assert.equal(pod.securityContext.runAsNonRoot, true);
  const [container] = pod.containers;
  assert.match(container.args[0], /if \[ -f \/data\/run\/run\.json \]; then exec gstack run --resume \/data\/run; fi/);
  assert.deepEqual(container.volumeMounts.map(({ name }) => name).sort(), pod.volumes.map(({ name }) => name).sort());
});
