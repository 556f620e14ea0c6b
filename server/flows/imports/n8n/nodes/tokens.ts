import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { itemwise } from '../items.ts';
import type { Given } from '../job.ts';
import { passed, required } from '../text-steps.ts';
import { jsonValue } from './http.ts';

/** JSON Web Tokens, by code that signs and verifies with the key of a secret. */

/** The claims that the form proposes. */
const PROPOSED = { my_field_1: 'value 1', my_field_2: 'value 2' };

const ALGORITHMS = /^(?:HS|RS|PS|ES)(?:256|384|512)$/;

function jwt(context: Context): Given {
  const { params, step, job, changed } = context;
  const input = required(context);
  const operation = params.text('operation') ?? 'sign';
  const algorithm = params.text('options.algorithm') ?? 'HS256';
  if (operation !== 'decode' && !ALGORITHMS.test(algorithm))
    throw new NotHere('its algorithm is worked out', ['code.run with crypto.subtle']);
  const asked = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: askedOf(context, operation) } },
    { hint: `${step.name} given` },
  );
  const [credential] = step.credentials;
  const secret = job.secrets.nameFor(credential?.name ?? 'jwt');
  if (operation !== 'decode') {
    job.report.need({
      kind: 'secret',
      name: secret,
      nodes: [],
      message: `Store the key of the credential “${credential?.name ?? 'jwt'}” as the secret ${secret}, and grant it to code.run, for “${step.name}”.`,
    });
    if (params.text('options.algorithm') === undefined)
      changed('setting', 'The algorithm stood in the credential, which no file has; here it is HS256.', {
        after: 'HS256',
      });
  }
  const id = itemwise(context, context.port(asked, 'out', { card: input.card }), {
    operator: 'code.run',
    params: { source: codeOf(context, operation, { algorithm, secret }) },
  });
  return passed(context, input, id);
}

/** What the code gets of the item. */
function askedOf(context: Context, operation: string): Record<string, unknown> {
  const { params, text, value } = context;
  const reads = context.reads(required(context));
  if (operation !== 'sign') return { token: text(params.get('token') ?? '', reads) };
  const payload = params.flag('useJson')
    ? jsonValue(context, params.get('claimsJson') ?? PROPOSED, reads)
    : value(params.get('claims') ?? {}, reads);
  params.skip('claims', 'claimsJson');
  const kid = params.get('options.kid');
  return {
    payload,
    header: jsonValue(context, params.get('headerClaims') ?? {}, reads),
    ...(kid !== undefined && kid !== '' && { kid: text(kid, reads) }),
  };
}

function codeOf(
  { params }: Context,
  operation: string,
  { algorithm, secret }: { readonly algorithm: string; readonly secret: string },
): string {
  const whole = params.flag('options.complete');
  if (operation === 'decode')
    return [READ, `const token = read(input.token);`, shown(whole, 'token === undefined ? null : ')].join(
      '\n',
    );
  const head = [
    `const algorithm = ${JSON.stringify(algorithm)};`,
    `const secret = await ctx.secret(${JSON.stringify(secret)});`,
    KEY,
  ];
  if (operation === 'sign') return [...head, SIGN].join('\n');
  const tolerance = params.number('options.clockTolerance') ?? 0;
  return [
    ...head,
    READ,
    VERIFY,
    ...(params.flag('options.ignoreExpiration') ? [] : [expired(tolerance)]),
    ...(params.flag('options.ignoreNotBefore') ? [] : [early(tolerance)]),
    shown(whole, ''),
  ].join('\n');
}

/** The whole token, or its payload alone. */
const shown = (whole: boolean, otherwise: string): string =>
  whole
    ? `return ${otherwise === '' ? '' : 'token === undefined ? { payload: null } : '}{ header: token.header, payload: token.payload, signature: token.signature };`
    : `return { payload: ${otherwise}token.payload };`;

const READ = `const read = (text) => {
  const [header, payload, signature, ...more] = String(text ?? '').trim().split('.');
  if (signature === undefined || more.length > 0) return undefined;
  const part = (one) => Buffer.from(one, 'base64url').toString();
  try {
    return { header: JSON.parse(part(header)), payload: JSON.parse(part(payload)), signature, signed: header + '.' + payload };
  } catch {
    return undefined;
  }
};`;

/** The key is a text, or one in PEM. */
const KEY = `const hash = 'SHA-' + algorithm.slice(2);
const kind = {
  HS: { name: 'HMAC', hash },
  RS: { name: 'RSASSA-PKCS1-v1_5', hash },
  PS: { name: 'RSA-PSS', hash, saltLength: Number(algorithm.slice(2)) / 8 },
  ES: { name: 'ECDSA', hash, namedCurve: { 256: 'P-256', 384: 'P-384', 512: 'P-521' }[algorithm.slice(2)] },
}[algorithm.slice(0, 2)];
const keyFor = (use) => {
  if (kind.name === 'HMAC') return crypto.subtle.importKey('raw', Buffer.from(secret), kind, false, [use]);
  const bytes = Buffer.from(secret.replaceAll(/-----[^-]+-----|\\s/g, ''), 'base64');
  return crypto.subtle.importKey(use === 'sign' ? 'pkcs8' : 'spki', bytes, kind, false, [use]);
};`;

const SIGN = `const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = { alg: algorithm, typ: 'JWT', ...(input.kid && { kid: input.kid }), ...input.header };
const payload = { ...input.payload, iat: input.payload?.iat ?? Math.floor(Date.now() / 1000) };
const signed = part(header) + '.' + part(payload);
const signature = await crypto.subtle.sign(kind, await keyFor('sign'), Buffer.from(signed));
return { token: signed + '.' + Buffer.from(signature).toString('base64url') };`;

const VERIFY = `const token = read(input.token);
if (token === undefined) throw new Error('jwt malformed');
if (token.header.alg !== algorithm) throw new Error('invalid algorithm');
const isOwn = await crypto.subtle.verify(kind, await keyFor('verify'), Buffer.from(token.signature, 'base64url'), Buffer.from(token.signed));
if (!isOwn) throw new Error("The JWT token can't be verified");`;

const expired = (tolerance: number): string =>
  `if (token.payload.exp !== undefined && Date.now() / 1000 >= token.payload.exp + ${tolerance}) throw new Error('jwt expired');`;
const early = (tolerance: number): string =>
  `if (token.payload.nbf !== undefined && token.payload.nbf > Date.now() / 1000 + ${tolerance}) throw new Error('jwt not active');`;

export const tokenEntries: readonly Entry[] = [
  {
    kind: 'jwt',
    word: 'close',
    becomes: '`code.run`, with the key from a secret',
    difference:
      'The algorithm is HS256 unless the node names another one, because files do not have that of the credential; a key in PEM must be PKCS 8 or SPKI.',
    needs: ({ parameters }) => parameters['operation'] !== 'decode',
    convert: jwt,
  },
];
