import Fastify from 'fastify';
import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { startServer } from './server.ts';
const { config } = readConfig({ env: { WEFT_PORT: '0', WEFT_DATA: '/tmp/pdata2', WEFT_EDITOR: 'off', WEFT_LOG_LEVEL: 'warn' }, cwd: process.cwd(), terminal: false });
const weft = await startServer(config, { log: createLog(config) });
const bare = Fastify();
bare.get('/api/v1/awel/trigger/examples/hello', { schema: { querystring: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } } } } }, (request, reply) => {
  const { name, age } = request.query;
  reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(`Hello, ${name}, your age is ${age}`));
});
const b = await bare.listen({ port: 0, host: '127.0.0.1' });
process.on('message', (m) => { if (m === 'bye') process.exit(0); const u = process.cpuUsage(); process.send({ cpu: u.user, sys: u.system }); });
process.send({ weft: weft.url ?? weft.address ?? String(weft.app?.server.address().port), bare: b });
