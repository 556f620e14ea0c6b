// The yardstick: the same answers from routes written by hand, with Fastify's own validation. Plain JavaScript, so that its
// start is not slowed by type stripping.
import Fastify from 'fastify';

const jsonType = 'application/json; charset=utf-8';
const app = Fastify();

const helloQuery = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
};

app.get('/api/v1/awel/trigger/examples/hello', { schema: { querystring: helloQuery } }, (request, reply) => {
  const { name, age } = request.query;
  reply.header('content-type', jsonType).send(JSON.stringify(`Hello, ${name}, your age is ${age}`));
});

const orderBody = {
  type: 'object',
  required: ['customer', 'amount'],
  properties: {
    customer: { type: 'string', minLength: 1 },
    amount: { type: 'number', exclusiveMinimum: 0 },
    items: { type: 'array', items: { type: 'string' }, default: [] },
  },
};

app.post('/api/v1/awel/trigger/examples/orders', { schema: { body: orderBody } }, (request, reply) => {
  reply
    .code(201)
    .header('content-type', jsonType)
    .send(JSON.stringify(triage(request.body)));
});

function triage(order) {
  const { customer, amount, items } = order;
  if (amount <= 500) {
    const note = `Thank you, ${customer}: ${items.length} item(s) on their way.`;
    return { ...order, decision: 'approved', note };
  }
  if (amount <= 10000) {
    return { ...order, decision: 'review', note: `${customer} orders for ${amount}: please look at it.` };
  }
  return { ...order, decision: 'refused', note: 'Orders above 10000 need a contract.' };
}

const apps = new Map();

app.put('/api/v2/serve/apps/:app_code', (request) => {
  apps.set(request.params.app_code, request.body);
  return null;
});

app.get('/api/v2/serve/apps/:app_code', (request, reply) => {
  const found = apps.get(request.params.app_code);
  if (found === undefined) return reply.code(404).send({ message: 'There is no such app.' });
  return { success: true, err_code: null, err_msg: null, data: found };
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ msg: 'ready', url })}\n`);
