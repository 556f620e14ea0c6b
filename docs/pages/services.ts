import { readFileSync } from 'node:fs';
import { page } from './markdown.ts';

/** What `service(name)` gives, with the sections of the source that declare it, in the order of the page. */
const SERVICES: readonly (readonly [name: string, file: string, section?: string])[] = [
  ['http', 'http-service.ts'],
  ['sql', 'sql-service.ts'],
  ['files, folders', 'file-services.ts'],
  ['connections', 'services.ts', 'connections'],
  ['state', 'services.ts', 'state'],
  ['secrets', 'services.ts', 'secrets'],
  ['documents', 'document-service.ts'],
  ['rates', 'services.ts', 'rates'],
  ['outputs', 'services.ts', 'outputs'],
  ['flows', 'services.ts', 'sub-flows'],
  ['models', 'services.ts', 'models'],
  ['agents', 'services.ts', 'agents'],
  ['mcp', 'mcp-service.ts'],
  ['code', 'services.ts', 'code'],
  ['waits', 'services.ts', 'waits'],
];

const example = `
\`\`\`js
async run(call) {
  const answer = await call.service('http').send(
    {
      method: 'POST',
      url: 'https://api.example.com/orders',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ article: call.params.article }),
      redirects: 3,
      timeoutMs: 30_000,
      maxBytes: 10_000_000,
    },
    call.asker,
    call.signal,
  );
  if (answer.status !== 201) throw new WeftError('bad_answer', \`The service answered with \${answer.status}.\`);
  return JSON.parse(await new Response(answer.body).text());
}
\`\`\`

\`\`\`js
async run(call) {
  const { connection, city } = call.params;
  const statement = { sql: 'SELECT name FROM customers WHERE city = :city', params: { city } };
  const limits = { timeoutMs: 30_000, maxRows: 1000, maxBytes: 1_000_000 };
  return call.service('sql').query({ connection, ...statement, ...limits }, call.asker, call.signal);
}
\`\`\`
`.trim();

/** The services of operators, as their interfaces declare them. */
export function servicesPage(): string {
  return page(
    '# Services of operators',
    'An operator asks the server for everything outside of its input: `call.service(name)`. The methods of a service take who asks, `call.asker`, and mostly the signal that ends the call, `call.signal`. A package also [declares](../packages.md#write-a-package) which services, hosts and connections it uses. This page shows the interfaces as the source declares them; all fields without `?` are required.',
    '## Examples',
    'The first sends a request, the second reads from a database by a [connection](../connections.md).',
    example,
    ...SERVICES.flatMap(([name, file, section]) => [`## ${name}`, declarations(file, section)]),
  );
}

/** The declarations of a file of `engine/base`, or of its section with this title, without the imports. */
function declarations(file: string, section?: string): string {
  const source = readFileSync(new URL(`../../engine/base/${file}`, import.meta.url), 'utf8');
  const parts = source.split(/^\/\/ -+ (.+)$/m);
  const text = section === undefined ? source : parts[parts.indexOf(section) + 1];
  if (text === undefined || (section !== undefined && !parts.includes(section)))
    throw new Error(`engine/base/${file} has no section ${section}.`);
  const own = text.replaceAll(/^import [^;]*;\n/gm, '').replaceAll(/^export (?=interface|type)/gm, '');
  return `\`\`\`ts\n${own.trim()}\n\`\`\``;
}
