import { exampleInput } from '#shared/example-input.ts';
import { textOrJson } from '#shared/json.ts';
import { type Access, headersOf } from './access.ts';
import { type ApiDocument, type Call, type Parameter, wholeSchema } from './document.ts';
import { element, prose } from './element.ts';

/** Longer answers are cut: the page is only for reading. */
const MAX_SHOWN = 200_000;

/** A form with a field for each parameter and for the body. It sends the call and shows the answer. */
export function tryForm(call: Call, api: ApiDocument, access: Access): HTMLElement {
  const { operation } = call;
  const fields = (operation.parameters ?? []).map((parameter) => parameterField(parameter, call));
  const body = bodyField(call, api);
  const result = element('output', {});
  const form = element(
    'form',
    {},
    ...fields.map(({ row }) => row),
    body?.row,
    element('button', {}, 'Send'),
    result,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const request = requestOf(call, fields, body, access);
    result.replaceChildren('…');
    void send(request).then((nodes) => result.replaceChildren(...nodes));
  });
  return form;
}

interface Field {
  readonly parameter: Parameter;
  readonly input: HTMLInputElement;
  readonly row: HTMLElement;
}

function parameterField(parameter: Parameter, { operation }: Call): Field {
  const { name, required, schema, description = schema['description'] } = parameter;
  const id = `${operation.operationId} ${parameter.in} ${name}`;
  const input = element('input', { id, ...(required && { required: '' }) });
  const fill = schema['default'] ?? (required ? exampleInput(schema) : undefined);
  input.value = textOrJson(fill);
  const about = typeof description === 'string' ? prose(description) : [];
  const label = element(
    'label',
    { for: id },
    `${name}${required ? ' *' : ''}`,
    element('small', {}, parameter.in),
  );
  return { parameter, input, row: element('div', { class: 'field' }, label, input, ...about) };
}

interface BodyField {
  readonly type: string;
  readonly input: HTMLTextAreaElement;
  readonly row: HTMLElement;
}

function bodyField({ operation }: Call, api: ApiDocument): BodyField | undefined {
  const [type, { schema = {} } = {}] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return undefined;
  const id = `${operation.operationId} body`;
  const input = element('textarea', { id, rows: '6', spellcheck: 'false' });
  const example = exampleInput(wholeSchema(schema, api)) ?? {};
  input.value =
    typeof example === 'string' && type === 'text/plain' ? example : JSON.stringify(example, null, 2);
  const label = element('label', { for: id }, 'body', element('small', {}, type));
  return { type, input, row: element('div', { class: 'field' }, label, input) };
}

function requestOf(
  { method, path }: Call,
  fields: readonly Field[],
  body: BodyField | undefined,
  access: Access,
): Request {
  let address = path;
  const query = new URLSearchParams();
  for (const { parameter, input } of fields) {
    if (parameter.in === 'path')
      address = address.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (input.value !== '') query.append(parameter.name, input.value);
  }
  const url = new URL(query.size > 0 ? `${address}?${query}` : address, location.href);
  const content = body && body.input.value.trim() !== '' ? body : undefined;
  return new Request(url, {
    method,
    headers: { ...headersOf(access, method), ...(content && { 'content-type': content.type }) },
    ...(content && { body: content.input.value }),
  });
}

async function send(request: Request): Promise<Node[]> {
  try {
    const answer = await fetch(request);
    const text = await answer.text();
    const line = `${answer.status} ${answer.headers.get('content-type') ?? ''}`;
    return [element('p', {}, element('strong', {}, line)), element('pre', { tabindex: '0' }, readable(text))];
  } catch (error) {
    return prose(`The call failed: ${(error as Error).message}.`);
  }
}

function readable(text: string): string {
  if (text.length > MAX_SHOWN) return `${text.slice(0, MAX_SHOWN)}…`;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
