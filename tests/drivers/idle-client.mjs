/* A CDP client that connects, says so, and stays until its connection ends. */
import WebSocket from 'ws';

const socket = new WebSocket(process.argv[2]);
socket.once('message', () => process.stdout.write('connected\n'));
socket.once('open', () => socket.send('{"id":1,"method":"Browser.getVersion"}'));
socket.once('close', () => process.exit(0));
socket.once('error', () => process.exit(1));
