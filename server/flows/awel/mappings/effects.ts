import { idFrom } from '../names.ts';
import { literalText, type Mappings, only } from './mapping.ts';

const BODY_METHODS = ['POST', 'PUT', 'PATCH'];

/** Operators that reach outside, or run code. */
export const effectMappings: Mappings = {
  awel_dict_http_sender: {
    operator: 'http.request',
    outputs: ['body'],
    params(from, flow, note) {
      const method = (from.text('methods') ?? 'GET').toUpperCase();
      const address = literalText(from.text('address') ?? '');
      const sent = BODY_METHODS.includes(method)
        ? { bodyType: 'json', body: '{{ input }}' }
        : { query: '{{ input }}' };
      if (from.text('cookies') !== undefined)
        note(
          'not-supported',
          'Its cookies were not imported; send them in `headers` if they are not secret.',
          'warning',
        );
      const status = from.number('status_code') ?? 200;
      if (status !== 200)
        note(
          'not-supported',
          `It expected the status ${status}; here every 2xx counts as a success.`,
          'warning',
        );
      return {
        method,
        url: address,
        ...sent,
        response: 'json',
        ...only(from.text('token'), () => ({
          auth: { type: 'bearer', secret: { $secret: secretName(flow.id) } },
        })),
        ...only(from.number('timeout'), (seconds) => ({ timeoutMs: Math.round(seconds * 1000) })),
      };
    },
  },
  default_code_map_operator: {
    operator: 'code.run',
    params(from, _flow, note) {
      const source = from.text('code') ?? '';
      const call = from.text('call_name') ?? 'fn_map';
      if (from.text('lang') !== 'javascript') {
        note('not-supported', 'Its code is Python, which does not run here; rewrite it in JavaScript.');
        return { source: commented(source), language: 'javascript' };
      }
      return { source: `${source}\nreturn await ${idOf(call)}(input);`, language: 'javascript' };
    },
  },
};

/** DB-GPT's file contains tokens; here they are secrets, stored by the server and not in a file. */
function secretName(flow: string): string {
  return idFrom(`${flow.slice(0, 50)}_token`, 'imported_token');
}

function commented(source: string): string {
  const lines = source.split(/\r\n?|[\n\u2028\u2029]/).map((line) => `// ${line}`);
  return [...lines, "throw new Error('This code was Python in the original; rewrite it.');"].join('\n');
}

function idOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : 'fn_map';
}
