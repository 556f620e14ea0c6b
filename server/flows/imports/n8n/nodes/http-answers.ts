import { asText } from '../params.ts';
import type { Context } from '../context.ts';
import { following, type Port } from '../graph.ts';
import { spreadItems } from '../items.ts';

/** What a request gives as items. */
export interface Answer {
  readonly kind: 'auto' | 'json' | 'text' | 'file' | 'whole';
  readonly response: string | undefined;
  readonly property: string;
}

const FORMATS: Readonly<Record<string, Pick<Answer, 'kind' | 'response'>>> = {
  file: { kind: 'file', response: 'file' },
  json: { kind: 'json', response: 'json' },
  text: { kind: 'text', response: 'text' },
  string: { kind: 'text', response: 'text' },
};

export function answerOf({ params, step }: Context): Answer {
  const response = 'options.response.response';
  const given = params.get(`${response}.responseFormat`) ?? params.get('responseFormat');
  const format = asText(given ?? (step.version < 3 ? 'json' : 'autodetect'));
  const isWhole = [params.flag(`${response}.fullResponse`), params.flag('options.fullResponse')].includes(
    true,
  );
  const named = params.text(`${response}.outputPropertyName`) ?? params.text('dataPropertyName');
  const found = FORMATS[format] ?? { kind: 'auto', response: undefined };
  const kind = isWhole && found.kind !== 'file' ? 'whole' : found.kind;
  return { ...found, kind, property: named ?? 'data' };
}

export function itemsOf(context: Context, input: Port | undefined, id: string, answer: Answer): Port {
  const card = input?.card ?? 'one';
  if (answer.kind === 'auto' || answer.kind === 'json') {
    const body = context.port(id, 'body', { card });
    return spreadItems(context, body, card, answer.kind === 'json' ? undefined : TEXT_AS_DATA);
  }
  const map = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${itemOf(id, card === 'many' ? '[index]' : '', answer)} }}` },
    ...(card === 'many' && { each: {} }),
  });
  context.wire(`${id}.${answer.kind === 'file' ? 'file' : 'body'}`, `${map}.in`);
  return context.port(map, 'out', { card, ...following(input, context.step.name) });
}

/** An answer that is no object is the field `data`, as there. */
export const TEXT_AS_DATA = 'input => typeOf(input) == "object" ? input : { data: input }';

function itemOf(id: string, at: string, { kind, property }: Answer): string {
  if (kind === 'whole')
    return `{ body: input, headers: nodes.${id}.headers${at}, statusCode: nodes.${id}.status${at} }`;
  return `{ ${/^[A-Za-z_]\w*$/.test(property) ? property : JSON.stringify(property)}: input }`;
}
