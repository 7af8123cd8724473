import { AGENTS, isInstalled } from './agents.mjs';
import { BOXES, RESUMES } from './boxes.mjs';
import { Trial } from './trial.mjs';
const wanted = process.argv.slice(2);
const agents = AGENTS.filter((a) => isInstalled(a) && (!wanted.length || wanted.includes(a.name)));
const trial = await Trial.start(agents);
try {
  for (const agent of agents) {
    const t = performance.now();
    for (const box of BOXES) {
      const r = await box.try(trial, agent).catch((e) => String(e.message));
      console.log(agent.name, box.id, r === true ? 'yes' : `NO ${r}`, Math.round(performance.now() - t));
      if (box.id === 'starts' && r !== true) break;
    }
  }
  await trial.home.ok(['stop']); await trial.home.status();
  for (const agent of agents) { const r = await RESUMES.try(trial, agent).catch((e) => String(e.message)); console.log(agent.name, 'resumes', r === true ? 'yes' : `NO ${r}`); }
  console.log(JSON.stringify((await trial.home.json('agents')).agents.filter(a=>wanted.includes(a.name)),null,0));
  if (process.env.KEEP) for (const a of agents) (await import('node:fs')).writeFileSync(`${process.env.KEEP}/${a.name}.jsonl`, trial.requests(a).join('\n'));
  if (process.env.SHOW) console.log(trial.requests(agents[0]).map(r=>r.slice(0,Number(process.env.SHOW))).join('\n'));
  (await import('node:fs')).cpSync(trial.home.home+'/daemon.log', '/tmp/h34/daemon.log');
} finally { console.log(await trial.stop()); }
