import type {
  Catalog,
  DerivedPorts,
  InputPort,
  OperatorExample,
  OperatorInfo,
  OutputPort,
} from '#shared/catalog.ts';
import { fieldsOf } from './json-schema.ts';
import { code, page, table } from './markdown.ts';

/** The list of all operators, and one page for each group. */
export function operatorPages(catalog: Catalog): Record<string, string> {
  const all = Object.values(catalog.operators).sort((a, b) => (a.type < b.type ? -1 : 1));
  const groups = Map.groupBy(all, (info) => info.group);
  const pages = [...groups].map(
    ([group, infos]) => [`operators/${group}.md`, groupPage(group, infos)] as const,
  );
  return { 'operators.md': indexPage(all), ...Object.fromEntries(pages) };
}

function indexPage(all: readonly OperatorInfo[]): string {
  const rows = all.map((info) => [
    `[${code(info.type)}](operators/${info.group}.md#${anchor(info)})`,
    info.title,
    info.doc,
  ]);
  return page(
    '# Operators',
    'The kinds of nodes that a flow can be built from. To write one of your own see [operators.md](../operators.md).',
    table(['operator', 'title', 'what it does'], rows),
  );
}

function groupPage(group: string, infos: readonly OperatorInfo[]): string {
  return page(
    `# Operators: ${group}`,
    'All operators: [operators.md](../operators.md).',
    ...infos.flatMap(operatorParts),
  );
}

/** What a page says of an operator. */
export function operatorParts(info: OperatorInfo): string[] {
  return [
    `## ${info.type}`,
    `**${info.title}.** ${info.doc}`,
    found(info),
    traits(info),
    inputs(info),
    outputs(info),
    params(info),
    ...examples(info),
  ];
}

/** How its nodes sum themselves up, and how people find it. */
function found({ summary, synonyms }: OperatorInfo): string {
  const texts = [
    summary === undefined ? '' : `A node says: ${code(summary)}.`,
    synonyms === undefined ? '' : `Found as ${synonyms.join(', ')}.`,
  ];
  return texts.filter((text) => text !== '').join(' ');
}

/** The place of a heading on the page, as GitHub names it. */
function anchor(info: OperatorInfo): string {
  return info.type.replaceAll('.', '');
}

const effectTexts: Record<OperatorInfo['effects'], string> = {
  pure: 'Pure: its outputs depend on params and inputs alone.',
  read: 'Reads: it looks at the world or the clock, but changes nothing.',
  write: 'Writes: it changes something outside of the run.',
  wait: 'Waits: it may take days.',
};

function byParam({ name, cases }: NonNullable<OperatorInfo['effectsByParam']>): string {
  const groups = Map.groupBy(Object.entries(cases), ([, effects]) => effects);
  const texts = [...groups].map(([effects, of]) => {
    const values = of.map(([value]) => code(value)).join(', ');
    return `With ${code(name)} ${values}: ${effectTexts[effects].toLowerCase()}`;
  });
  return texts.join(' ');
}

function traits(info: OperatorInfo): string {
  const texts = [
    info.trigger ? 'A run can start here.' : effectTexts[info.effects],
    info.effectsByParam ? byParam(info.effectsByParam) : '',
    info.lift ? 'When its input is a stream it works item by item, and its output is a stream.' : '',
    exclusivity(info),
    info.respond ? 'It answers the caller when it runs.' : '',
    info.sink && info.outputs.length > 0 ? 'At the end of a flow its output does not count as a result.' : '',
  ];
  return texts.filter((text) => text !== '').join(' ');
}

function exclusivity({ exclusive }: OperatorInfo): string {
  if (exclusive === false) return '';
  const unless = exclusive === true ? '' : `, unless ${code(exclusive.unless)} is true`;
  return `Only one of its outputs has a value in a run${unless}.`;
}

function inputs(info: OperatorInfo): string {
  const rows = info.inputs.map((port) => [code(port.name), taken(port), port.doc ?? '']);
  if (info.derivedInputs) rows.push(derivedRow(info.derivedInputs, 'the param says which are required'));
  return rows.length === 0 ? '' : table(['input', 'takes', 'meaning'], rows);
}

const MANY: Readonly<Record<NonNullable<InputPort['many']>, string>> = {
  any: 'the values of any number of edges',
  all: 'the values of several edges, all of them',
  first: 'the values of any number of edges, of which later ones run only if they are needed',
};

function taken(port: InputPort): string {
  if (port.many) return MANY[port.many];
  return `${kindText(port)}${port.required ? '' : ', optional'}`;
}

function outputs(info: OperatorInfo): string {
  const rows = info.outputs.map((port) => [code(port.name), kindText(port), port.doc ?? '']);
  if (info.derivedOutputs) rows.push(derivedRow(info.derivedOutputs, 'a value'));
  return rows.length === 0 ? '' : table(['output', 'gives', 'meaning'], rows);
}

function kindText(port: InputPort | OutputPort): string {
  return { value: 'a value', stream: 'a stream', either: 'a value or a stream' }[port.kind];
}

function derivedRow(ports: DerivedPorts, kind: string): string[] {
  return [`one for each of ${code(ports.param)}`, kind, ports.doc ?? ''];
}

function params(info: OperatorInfo): string {
  const fields = fieldsOf(info.params);
  if (fields.length === 0) return '';
  const rows = fields.map((field) => [
    code(field.path),
    field.type,
    field.required ? 'required' : field.defaultValue,
    `${field.doc}${note(info, field.path)}`,
  ]);
  return table(['param', 'type', 'default', 'meaning'], rows);
}

function note(info: OperatorInfo, path: string): string {
  return info.literalParams.includes(path) ? ' Taken as it is: `{{ }}` has no meaning in it.' : '';
}

function examples(info: OperatorInfo): string[] {
  return info.examples.map((example) => `${example.title}:\n\n${fence(example)}`);
}

function fence({ params: given, inputs: values, outputs: results, error }: OperatorExample): string {
  const lines = [
    line('params', given),
    line('inputs', values),
    line('outputs', results),
    error && `error:   ${error}`,
  ];
  return ['```text', ...lines.filter((text) => text !== undefined && text !== ''), '```'].join('\n');
}

function line(name: string, value: Record<string, unknown> | undefined): string | undefined {
  return value && `${`${name}:`.padEnd(8)} ${JSON.stringify(value)}`;
}
