import { asText } from '../params.ts';
import type { Context } from '../context.ts';
import { beside, following, type Port } from '../graph.ts';
import { isFile, readsFilesLater } from '../item-files.ts';
import { spreadItems } from '../items.ts';

/** The answer of a request as items. */
export interface Answer {
  readonly kind: 'auto' | 'json' | 'text' | 'file' | 'whole';
  readonly response: string | undefined;
  readonly property: string;
  /** A list stays one item, as in the first versions. */
  readonly isWhole?: boolean;
}

const FORMATS: Readonly<Record<string, Pick<Answer, 'kind' | 'response'>>> = {
  file: { kind: 'file', response: 'file' },
  json: { kind: 'json', response: 'json' },
  text: { kind: 'text', response: 'text' },
  string: { kind: 'text', response: 'text' },
};

export function answerOf(context: Context): Answer {
  const { params, step } = context;
  const response = 'options.response.response';
  const given = params.get(`${response}.responseFormat`) ?? params.get('responseFormat');
  const format = asText(given ?? (step.version < 3 ? 'json' : 'autodetect'));
  const isWhole = [params.flag(`${response}.fullResponse`), params.flag('options.fullResponse')].includes(
    true,
  );
  const named = params.text(`${response}.outputPropertyName`) ?? params.text('dataPropertyName');
  const found = FORMATS[format] ?? detected(context);
  const kind = isWhole && found.kind !== 'file' ? 'whole' : found.kind;
  const isSplit = params.flag('options.splitIntoItems') || step.version >= 3;
  return { ...found, kind, property: named ?? 'data', ...(!isSplit && kind === 'json' && { isWhole: true }) };
}

/** An answer whose form is found out may be a file. */
const detected = (context: Context): Pick<Answer, 'kind' | 'response'> => ({
  kind: 'auto',
  response: readsFilesLater(context) ? 'any' : undefined,
});

export function itemsOf(context: Context, input: Port | undefined, id: string, answer: Answer): Port {
  const card = input?.card ?? 'one';
  if (answer.kind === 'auto' || answer.kind === 'json') {
    const same = answer.isWhole === true ? following(input, context.step.name) : {};
    const body = context.port(id, 'body', { card, ...same });
    if (answer.isWhole === true) return body;
    if (answer.response === 'any')
      return spreadItems(context, withFile(context, input, body), card, TEXT_AS_DATA);
    return spreadItems(context, body, card, answer.kind === 'json' ? undefined : TEXT_AS_DATA);
  }
  const map = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${itemOf(id, card === 'many' ? '[index]' : '', answer, input)} }}` },
    ...(card === 'many' && { each: {} }),
  });
  context.wire(`${id}.${answer.kind === 'file' ? 'file' : 'body'}`, `${map}.in`);
  return context.port(map, 'out', { card, ...following(input, context.step.name) });
}

/** An answer that is a file comes beside what the item has. */
function withFile(context: Context, input: Port | undefined, body: Port): Port {
  const id = context.add(`${context.step.name} answer`, {
    operator: 'core.map',
    params: {
      value: `{{ ${isFile('input')} ? { ...${input ? beside(input) : '{ }'}, data: input } : input }}`,
    },
    ...(body.card === 'many' && { each: {} }),
  });
  context.wire(body, `${id}.in`);
  return context.port(id, 'out', { card: body.card });
}

/** An answer that is no object is the field `data`, as there. */
export const TEXT_AS_DATA = 'input => typeOf(input) == "object" ? input : { data: input }';

function itemOf(id: string, at: string, { kind, property }: Answer, input: Port | undefined): string {
  if (kind === 'whole')
    return `{ body: input, headers: nodes.${id}.headers${at}, statusCode: nodes.${id}.status${at} }`;
  const name = /^[A-Za-z_]\w*$/.test(property) ? property : JSON.stringify(property);
  // A file comes beside what the item has.
  return kind === 'file' && input ? `{ ...${beside(input)}, ${name}: input }` : `{ ${name}: input }`;
}
