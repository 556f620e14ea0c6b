import Fastify from 'fastify';
const mode = process.env.MODE ?? '';
const jsonType = 'application/json; charset=utf-8';
let n = 0;
const app = Fastify({ genReqId: mode.includes('i') ? () => `JfR0XBUa-${++n}` : undefined });
if (mode.includes('k')) app.addHook('onRequest', (req, reply, done) => { done(); });
if (mode.includes('k')) app.addHook('onRequest', (req, reply, done) => { done(); });
const q = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } } };
app.get('/x', { schema: { querystring: q } }, (request, reply) => {
  const { name, age } = request.query;
  if (mode.includes('1')) reply.header('x-weft-run', '01m7x072300000a0c549c53d');
  if (mode.includes('3')) { reply.header('x-weft-version', '0.1.0'); reply.header('x-request-id', `JfR0XBUa-${++n}`); reply.header('x-weft-run', '01m7x072300000a0c549c53d'); }
  if (mode.includes('r')) { reply.raw.setHeader('x-weft-version', '0.1.0'); reply.raw.setHeader('x-request-id', `JfR0XBUa-${++n}`); reply.raw.setHeader('x-weft-run', '01m7x072300000a0c549c53d'); }
  reply.header('content-type', jsonType).send(JSON.stringify(`Hello, ${name}, your age is ${age}`));
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ msg: 'ready', url })}\n`);
