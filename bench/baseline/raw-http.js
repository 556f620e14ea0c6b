// As little as Node allows: no framework and no routes, but the same validation and answer.
import { createServer } from 'node:http';
import { parse } from 'node:querystring';
import { Ajv } from 'ajv';

const isHelloQuery = new Ajv({ coerceTypes: true, useDefaults: true }).compile({
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
});

const server = createServer((request, response) => {
  const query = parse(request.url.slice(request.url.indexOf('?') + 1));
  if (!isHelloQuery(query)) {
    response.writeHead(400).end();
    return;
  }
  const { name, age } = /** @type {{ name: string, age: number }} */ (query);
  const body = JSON.stringify(`Hello, ${name}, your age is ${age}`);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
});

server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', url })}\n`);
});
