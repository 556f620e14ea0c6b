import type { OperatorInfo } from '#shared/catalog.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { signatureForm } from '#shared/trigger-auth.ts';
import type { CheckContext, NodeView } from '../../flow/context.ts';
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
  const schema = isRecord(auth) ? settingsOf(info, auth['type']) : undefined;
  if (!isRecord(auth) || !schema) return reportUnknown(context, view, auth);
  checkSettings(context, view, info, { auth, schema });
  if (auth['type'] === 'hmac') checkSigned(context, view, auth);
}

/** The schema of one way's settings, taken from the choice in the catalog. */
function settingsOf(info: OperatorInfo, type: unknown): JsonSchema | undefined {
  const properties = info.params['properties'] as Record<string, { anyOf?: JsonSchema[] }> | undefined;
  return properties?.['auth']?.anyOf?.find((branch) => {
    const fields = branch['properties'] as Record<string, { const?: unknown }> | undefined;
    return type !== undefined && fields?.['type']?.const === type;
  });
}

const examples: Readonly<Record<string, string>> = {
  hmac: '{ "type": "hmac", "preset": "github", "secret": { "$secret": "name" } }',
  basic: '{ "type": "basic", "user": "name", "secret": { "$secret": "name" } }',
};

function reportUnknown({ report }: CheckContext, { id }: NodeView, auth: unknown): void {
  const example = typeof auth === 'string' && Object.hasOwn(examples, auth) ? examples[auth] : undefined;
  report({
    code: 'unknown-auth',
    message: example
      ? `\`auth\` with \`${String(auth)}\` needs settings: ${example}.`
      : `\`auth\` is ${JSON.stringify(auth)}, but must be none, api-key, or an object with the type hmac or basic.`,
    node: id,
    path: ['params', 'auth'],
    fix: { kind: 'set-field', title: 'Ask for an API key', node: id, field: 'params.auth', value: 'api-key' },
  });
}

function checkSettings(
  { report }: CheckContext,
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
    const message = unknownSetting(view, path);
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
    const message = `A signature covers the body, and ${unsigned.join(' and ')} reads the address; use POST, PUT or PATCH with \`hmac\`.`;
    report({ code: 'bad-param', message, node: id, path: ['params', 'methods'] });
  }
  const { preset } = auth;
  if (preset !== 'github' && preset !== 'slack' && preset !== 'stripe') return;
  for (const name of Object.keys(signatureForm({})).filter((key) => auth[key] !== undefined)) {
    const path = ['params', 'auth', name];
    const message = `The preset ${preset} sets \`${name}\` itself, so this has no effect; leave it out, or use the preset custom.`;
    report({ code: 'bad-param', severity: 'warning', message, node: id, path });
  }
}
