import type { OperatorInfo } from '#shared/catalog.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { signatureForm } from '#shared/trigger-auth.ts';
import { type CheckContext, didYouMean, type NodeView } from '../../flow/context.ts';
import type { Path } from '../../flow/field-path.ts';
import { settingAt, settingMessage, unknownSetting } from '../../flow/issue-sentence.ts';
import { compiledSchema } from '../../flow/schemas.ts';

/**
 * How an HTTP trigger authenticates its callers: a known way, with complete settings, that protects what it seems to
 * protect.
 */
export function checkTriggerAuth(context: CheckContext, view: NodeView, info: OperatorInfo): void {
  const auth = view.node.params?.['auth'];
  if (auth === undefined || auth === 'none' || auth === 'api-key') return;
  const ways = waysOf(info);
  const schema = isRecord(auth) ? ways.get(auth['type']) : undefined;
  if (!isRecord(auth) || !schema) return reportUnknown(context, view, { auth, types: [...ways.keys()] });
  checkSettings(context, view, info, { auth, schema });
  if (auth['type'] === 'hmac') checkSigned(context, view, auth);
}

/** The ways that have settings, with the schema of these, taken from the choice in the catalog. */
function waysOf(info: OperatorInfo): ReadonlyMap<unknown, JsonSchema> {
  const properties = info.params['properties'] as Record<string, { anyOf?: JsonSchema[] }> | undefined;
  const ways = new Map<unknown, JsonSchema>();
  for (const branch of properties?.['auth']?.anyOf ?? []) {
    const fields = branch['properties'] as Record<string, { const?: unknown }> | undefined;
    const type = fields?.['type']?.const;
    if (type !== undefined) ways.set(type, branch);
  }
  return ways;
}

const examples: Readonly<Record<string, string>> = {
  hmac: '{ "type": "hmac", "preset": "github", "secret": { "$secret": "name" } }',
  basic: '{ "type": "basic", "user": "name", "secret": { "$secret": "name" } }',
};

function reportUnknown(
  { report }: CheckContext,
  { id }: NodeView,
  { auth, types }: { readonly auth: unknown; readonly types: readonly unknown[] },
): void {
  const example = typeof auth === 'string' && Object.hasOwn(examples, auth) ? examples[auth] : undefined;
  report({
    code: 'unknown-auth',
    message: example
      ? `\`auth\` with \`${String(auth)}\` needs settings: ${example}.`
      : `\`auth\` is ${JSON.stringify(auth)}, but must be none, api-key, or an object with the \`type\` ${types.slice(0, -1).join(', ')} or ${String(types.at(-1))}.`,
    node: id,
    path: ['params', 'auth'],
    fix: { kind: 'set-field', title: 'Ask for an API key', node: id, field: 'params.auth', value: 'api-key' },
  });
}

function checkSettings(
  { report, nearest }: CheckContext,
  view: NodeView,
  info: OperatorInfo,
  { auth, schema }: { readonly auth: Readonly<Record<string, unknown>>; readonly schema: JsonSchema },
): void {
  const { id } = view;
  for (const issue of compiledSchema(schema)?.safeParse(auth).error?.issues ?? []) {
    const path: Path = [
      'params',
      'auth',
      ...issue.path.map((key) => (typeof key === 'number' ? key : String(key))),
    ];
    // The schema is that of the chosen way; the settings have a branch for each way.
    const { label } = settingAt(info.params, path.slice(1));
    const place = { ...settingAt(schema, path.slice(2)), label };
    report({ code: 'bad-param', message: settingMessage(issue, place), label, node: id, path });
  }
  const known = Object.keys((schema['properties'] as object | undefined) ?? {});
  for (const name of Object.keys(auth).filter((key) => !known.includes(key))) {
    const path = ['params', 'auth', name];
    const message = unknownSetting(view, path) + didYouMean(nearest(name, known));
    report({ code: 'bad-param', severity: 'warning', message, node: id, path });
  }
}

/** The signature does not cover the address, so whoever has seen one request could change what is read from the address. */
function checkSigned(
  { report }: CheckContext,
  { id, node }: NodeView,
  auth: Readonly<Record<string, unknown>>,
): void {
  const methods = Array.isArray(node.params?.['methods']) ? (node.params['methods'] as unknown[]) : ['GET'];
  const unsigned = methods.filter((method) => method === 'GET' || method === 'DELETE');
  if (unsigned.length > 0) {
    const read = unsigned.length === 1 ? 'reads' : 'read';
    const message = `A signature covers the body, and ${unsigned.join(' and ')} ${read} the address; use POST, PUT or PATCH for signed requests.`;
    const rest = methods.filter((method) => method !== 'GET' && method !== 'DELETE');
    const value = rest.length > 0 ? rest : ['POST'];
    report({
      code: 'bad-param',
      message,
      node: id,
      path: ['params', 'methods'],
      fix: {
        kind: 'set-field',
        title: `Take ${value.join(', ')} only`,
        node: id,
        field: 'params.methods',
        value,
      },
    });
  }
  const { preset } = auth;
  if (preset !== 'github' && preset !== 'slack' && preset !== 'stripe') return;
  for (const name of Object.keys(signatureForm({})).filter((key) => auth[key] !== undefined)) {
    const path = ['params', 'auth', name];
    const message = `The preset ${preset} sets \`${name}\` itself, so this has no effect; leave it out, or use the preset custom.`;
    report({ code: 'bad-param', severity: 'warning', message, node: id, path });
  }
}
