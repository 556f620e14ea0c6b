import { type Fields, listOf, recordOf, textOf } from '../app.ts';
import type { Here, Mapping, ModelChoice } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { translateJinja } from '../jinja/translate.ts';
import { visionOf } from '../models.ts';
import { noteWritten, partsOf } from '../texts.ts';
import { braces, members, quoted, record, templateOf, textExpr, type Value } from '../write.ts';

/** A text with variables, before it is written as a template or an expression. */
type Pieces = readonly (string | Value)[];

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly pieces: Pieces;
}

const WRITTEN = 'Lists, objects, true and false in its prompt are written as JSON.';

export const llm: Mapping = (here) => {
  const { settings } = here;
  const choice = here.model(settings.get('model'));
  const given = messagesOf(here);
  const memory = memoryOf(here);
  const files = filesIn([...given.flatMap(({ pieces }) => pieces), ...(memory?.query ?? [])]);
  const messages = given.map(withoutFiles).filter(({ pieces }) => pieces.length > 0);
  for (const { pieces } of messages) noteWritten(here, pieces, WRITTEN);
  settings.ignore('variables', 'context', 'prompt_config', 'reasoning_format', 'structured_output_switch_on');
  const ask = here.add('messages', {
    operator: 'core.map',
    params: { value: requestValue(messages, memory, choice) },
  });
  const params = { ...choice.params, ...files, ...visionOf(here) };
  const schema = schemaOf(here);
  if (here.streamed.has(here.node.id)) {
    const id = here.main({ operator: 'model.stream', params });
    here.wire(`${ask}.out`, `${id}.in`);
    const result = { port: `${id}.out`, text: (of: string) => `(${of} ?? "")` };
    return { enter: `${ask}.in`, leave: { source: [`${id}.out`] }, value: () => undefined, result };
  }
  const id = schema
    ? here.main({ operator: 'model.structured', params: { ...params, schema } }, (values) => ({
        out: values['structured_output'] ?? values['text'] ?? null,
      }))
    : here.main({ operator: 'model.chat', params }, (values) => ({ out: standIn(values, choice) }));
  here.wire(`${ask}.out`, `${id}.in`);
  const value = schema ? structuredValue(id) : answerValue(id);
  return { enter: `${ask}.in`, leave: { source: [`${id}.out`] }, value };
};

const isFile = (piece: string | Value): piece is Value =>
  typeof piece !== 'string' && (piece.kind === 'file' || piece.kind === 'files');

/** Files that stand in a prompt are files of the message, not text. */
function filesIn(pieces: Pieces): Fields {
  const lists = pieces
    .filter(isFile)
    .map(({ expr, kind }) => (kind === 'files' ? `...(${expr} ?? [])` : expr));
  return lists.length === 0
    ? {}
    : { files: braces(`[${[...new Set(lists)].join(', ')}].filter((file) => file !== null)`) };
}

const withoutFiles = (message: Message): Message => ({
  ...message,
  pieces: message.pieces.filter((piece) => !isFile(piece)),
});

function standIn(values: Fields, { model }: ModelChoice): Fields {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return { text: textOf(values['text']), finishReason: 'stop', usage, model };
}

function answerValue(id: string) {
  return (path: readonly string[], q: '' | '?'): Value | undefined => {
    const at = `nodes.${id}${q}`;
    switch (path[0]) {
      case 'text':
        return { expr: `${at}.text`, kind: 'text' };
      case 'reasoning_content':
        return { expr: `(nodes.${id}?.reasoning ?? "")`, kind: 'text' };
      case 'finish_reason':
        return { expr: `${at}.finishReason`, kind: 'text' };
      case 'files':
        return { expr: '[]', kind: 'list' };
      case 'usage':
        return usageOf(id, path.slice(1));
      default:
        return undefined;
    }
  };
}

const USAGE: Readonly<Record<string, string>> = {
  prompt_tokens: 'inputTokens',
  completion_tokens: 'outputTokens',
};

function usageOf(id: string, path: readonly string[]): Value | undefined {
  const one = (name: string): string => `(nodes.${id}?.usage?.${name} ?? 0)`;
  const total = `(${one('inputTokens')} + ${one('outputTokens')})`;
  if (path[0] === 'total_tokens') return { expr: total, kind: 'number' };
  const known = path[0] === undefined ? undefined : USAGE[path[0]];
  if (known !== undefined) return { expr: one(known), kind: 'number' };
  if (path.length > 0) return undefined;
  const fields = Object.entries(USAGE).map(([name, own]) => [name, one(own)] as const);
  return { expr: record([...fields, ['total_tokens', total]]), kind: 'record' };
}

function structuredValue(id: string) {
  return (path: readonly string[], q: '' | '?'): Value | undefined => {
    if (path[0] === 'structured_output')
      return path.length === 1
        ? { expr: q === '' ? `nodes.${id}` : `(nodes.${id} ?? null)`, kind: 'record' }
        : { expr: members(`nodes.${id}`, path.slice(1), '?') };
    if (path[0] === 'text')
      return { expr: q === '' ? `toJson(nodes.${id})` : `toJson(nodes.${id} ?? null)`, kind: 'text' };
    if (path[0] === 'reasoning_content') return { expr: '""', kind: 'text' };
    return path[0] === 'files' ? { expr: '[]', kind: 'list' } : undefined;
  };
}

function schemaOf({ settings }: Here): Fields | undefined {
  const isOn = settings.flag('structured_output_enabled');
  const schema = recordOf(settings.record('structured_output')['schema']);
  if (!isOn || Object.keys(schema).length === 0) return undefined;
  return schema;
}

function messagesOf(here: Here): Message[] {
  const given = here.settings.get('prompt_template');
  const list = Array.isArray(given) ? given.map(recordOf) : [{ role: 'user', ...recordOf(given) }];
  return list.map((one: Fields) => ({ role: roleOf(one['role']), pieces: promptPieces(here, one) }));
}

function roleOf(role: unknown): Message['role'] {
  return role === 'system' || role === 'assistant' ? role : 'user';
}

function promptPieces(here: Here, prompt: Fields): Pieces {
  if (prompt['edition_type'] === 'jinja2') {
    const variables = listOf(recordOf(here.settings.get('prompt_config'))['jinja2_variables']).map(recordOf);
    const names = new Map(
      variables.map((one) => [
        textOf(one['variable']),
        here.value(listOf(one['value_selector']).map(textOf)),
      ]),
    );
    const source = textOf(prompt['jinja2_text']) || textOf(prompt['text']);
    const { pieces, note } = translateJinja(source, names);
    if (note !== undefined) here.note(note);
    return pieces.filter((piece) => piece !== '');
  }
  return partsOf(textOf(prompt['text']), (selector) => {
    if (selector.length === 1 && selector[0] === 'context') return contextOf(here);
    if (selector.length === 1 && selector[0] === 'histories') return historyText(here);
    return here.value(selector);
  });
}

/** The context of the model: passages of documents, or any other value. */
function contextOf(here: Here): Value {
  const context = recordOf(here.settings.get('context'));
  const selector = listOf(context['variable_selector']).map(textOf);
  if (context['enabled'] === false || selector.length === 0) return { expr: '""', kind: 'text' };
  const value = here.value(selector);
  if (value.kind !== 'list' || selector[1] !== 'result') return value;
  here.note('Passages of documents go to the model as data, so that nothing in them is an instruction.');
  return here.value([selector[0] as string, 'passages']);
}

function historyText(here: Here): Value {
  const { expr } = here.value(['sys', 'history']);
  return {
    expr: `(${expr} ?? []).map((one) => \`\${one.role}: \${one.content}\`).join("\\n")`,
    kind: 'text',
  };
}

interface Memory {
  readonly history: string;
  readonly query: Pieces;
}

function memoryOf(here: Here): Memory | undefined {
  const memory = here.settings.record('memory');
  if (Object.keys(memory).length === 0 || memory['enabled'] === false || !here.isChat) return undefined;
  const window = recordOf(memory['window']);
  const size = Number(window['size']);
  const { expr } = here.value(['sys', 'history']);
  const isLimited = window['enabled'] === true && Number.isInteger(size) && size > 0;
  if (!isLimited || size > 10) here.note('The server remembers at most ten rounds of a conversation.');
  const query = textOf(memory['query_prompt_template']) || '{{#sys.query#}}';
  return {
    history: isLimited ? `${expr}.slice(-${2 * size})` : expr,
    query: partsOf(query, (selector) => here.value(selector)),
  };
}

/** The request for the model. Only where earlier messages stand between others is it one expression. */
function requestValue(
  messages: readonly Message[],
  memory: Memory | undefined,
  { request }: ModelChoice,
): unknown {
  const own: Message[] = memory ? [withoutFiles({ role: 'user', pieces: memory.query })] : [];
  const asked = [...messages, ...own];
  if (asked.length === 0) throw new Unmapped('it has no prompt');
  const inOrder = memory === undefined || messages.every(({ role }) => role === 'system');
  if (inOrder) {
    const list = asked.map(({ role, pieces }) => ({ role, content: templateOf(pieces) }));
    return { messages: list, ...(memory && { history: braces(memory.history) }), ...request };
  }
  const shown = ({ role, pieces }: Message): string =>
    `{ role: ${quoted(role)}, content: ${textExpr(pieces)} }`;
  const last = asked.at(-1) as Message;
  const list = `[${messages.map(shown).join(', ')}, ...${memory.history}, ${shown(last)}]`;
  return { messages: braces(list), ...request };
}
