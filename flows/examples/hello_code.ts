import { flow, serve } from '#weft';

const properties = { name: { type: 'string' }, age: { type: 'integer', default: 18 } } as const;

const hello = flow('hello_code', (f) => {
  const request = { type: 'object', required: ['name'], properties } as const;
  const t = f.trigger.http({ path: '/examples/hello-code', auth: 'none', request });
  return f.respond(t.map((r) => `Hello, ${r.name}, your age is ${r.age}`));
});

export default serve(hello, { port: 5555 });
