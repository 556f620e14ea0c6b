import { isRecord } from '#shared/json.ts';
import { tellPart } from './parts.ts';
import type { Context } from '../context.ts';

/** The question to a model, and the form of its answer. */

/** The schema that a parser of answers asks for; undefined if there is no parser. */
export function schemaOf(context: Context): Record<string, unknown> | undefined {
  const parsers = context.parts('ai_outputParser');
  for (const part of parsers) {
    tellPart(context, part, 'the schema of the answer');
    for (const hanging of context.job.parts.get(part.name) ?? [])
      tellPart(context, hanging.step, 'the schema of the answer');
  }
  if (parsers.length === 0) return undefined;
  const inner = parsers.flatMap((part) => [
    part,
    ...(context.job.parts.get(part.name) ?? []).map(({ step }) => step),
  ]);
  const found = inner.map(({ parameters }) => givenSchema(parameters)).find((schema) => schema !== undefined);
  if (found !== undefined || inner.some(({ kind }) => kind === 'outputParserItemList')) return found ?? ITEMS;
  context.changed('setting', 'The form of its answers cannot be read, so they stay a text; write a schema.', {
    before: parsers.map(({ name }) => name).join(', '),
    lost: true,
  });
  return undefined;
}

const ITEMS = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'string' } } },
  required: ['items'],
};

/** A schema, or an example of which it is made. */
export function givenSchema(
  parameters: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const written = parameters['inputSchema'] ?? parameters['jsonSchema'];
  const example = parameters['jsonSchemaExample'];
  const isExample =
    parameters['schemaType'] === 'fromJson' || (written === undefined && example !== undefined);
  const value = parsed(isExample ? example : written);
  if (!isRecord(value)) return undefined;
  return isExample ? schemaLike(value) : { ...value };
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text.replace(/^=/, ''));
  } catch {
    return undefined;
  }
}

function schemaLike(value: unknown, depth = 0): Record<string, unknown> {
  if (Array.isArray(value))
    return { type: 'array', items: value.length > 0 && depth < 20 ? schemaLike(value[0], depth + 1) : {} };
  if (isRecord(value)) {
    const properties = Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, schemaLike(one, depth + 1)]),
    );
    return { type: 'object', properties, required: Object.keys(value) };
  }
  if (value === null) return {};
  return { type: typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string' };
}

/** The prompt: as written in the node, or the message of the chat. */
export function promptOf(context: Context, reads: ReturnType<Context['reads']>): string {
  const { params } = context;
  const type = params.text('promptType') ?? 'auto';
  params.skip('hasOutputParser', 'needsFallback');
  const kind = params.text('agent');
  if (kind === 'sqlAgent' || kind === 'planAndExecuteAgent')
    context.changed('setting', `It was an agent of the kind ${kind}; here it calls the tools that it has.`, {
      before: kind,
      lost: true,
    });
  const text = params.get('text') ?? params.get('prompt');
  if (type === 'define' || (text !== undefined && text !== '')) return context.text(text ?? '', reads);
  return '{{ input?.chatInput ?? input?.input ?? "" }}';
}
