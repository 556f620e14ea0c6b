// The least that a Fastify server does at its start: one route, without a schema.
import Fastify from 'fastify';

const app = Fastify();
app.get('/healthz', () => ({ status: 'ok' }));

await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${app.server.address().port}/` }));
