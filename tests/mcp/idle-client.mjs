/* An MCP client that starts gstack as its server, uses its tab once, says so, and stays until its process ends. */
import { startClient } from './client.mjs';

const { environment, person, name, args } = JSON.parse(process.argv[2]);
const { call } = await startClient({ environment, person }, name, ...args);
await call('url');
process.stdout.write('connected\n');
