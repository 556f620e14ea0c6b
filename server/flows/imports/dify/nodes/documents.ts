import { type Mapping, simple } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { braces, isListKind } from '../write.ts';

/** How files become text, by their type or the end of their names; all others are read as plain text. */
const READERS = [
  { name: 'pdf', operator: 'text.from-pdf', port: 'text', type: 'application/pdf', ends: ['.pdf'] },
  {
    name: 'word',
    operator: 'text.from-docx',
    port: 'out',
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml',
    ends: ['.docx'],
  },
  { name: 'page', operator: 'text.from-html', port: 'text', type: 'text/html', ends: ['.html', '.htm'] },
] as const;

/** The texts of files, each read by its type. */
export const documentExtractor: Mapping = (here) => {
  const { settings } = here;
  const selector = settings.selector('variable_selector');
  if (selector.length === 0) throw new Unmapped('it names no file');
  const { expr, kind } = here.value(selector);
  const isList = settings.flag('is_array_file') || isListKind(kind);
  here.note('It reads PDF, Word (DOCX), web pages and plain text; other files fail.');
  const [start, by, plain, text] = ['file', 'by_type', 'plain', 'text'].map((one) => here.idFor(one)) as [
    string,
    string,
    string,
    string,
  ];
  const readers = READERS.map((one) => ({ ...one, id: here.idFor(one.name) }));
  const name = `lower(string(nodes.${start}?.name))`;
  const cases = readers.map((one) => ({
    name: one.name,
    when: braces(
      [
        `string(nodes.${start}?.type).startsWith("${one.type}")`,
        ...one.ends.map((end) => `${name}.endsWith("${end}")`),
      ].join(' || '),
    ),
  }));
  const id = here.main(
    {
      operator: 'data.for-each',
      params: { items: braces(isList ? `${expr} ?? []` : `${expr} === null ? [] : [${expr}]`) },
      body: {
        start,
        nodes: {
          [by]: { operator: 'logic.switch', params: { cases } },
          ...Object.fromEntries(readers.map((one) => [one.id, { operator: one.operator }])),
          [plain]: { operator: 'file.to-text' },
          [text]: { operator: 'core.merge' },
        },
        edges: [
          { from: `${start}.out`, to: `${by}.in` },
          ...readers.flatMap((one) => [
            { from: `${by}.${one.name}`, to: `${one.id}.in` },
            { from: `${one.id}.${one.port}`, to: `${text}.in` },
          ]),
          { from: `${by}.default`, to: `${plain}.in` },
          { from: `${plain}.out`, to: `${text}.in` },
        ],
      },
    },
    (values) => ({ out: isList && Array.isArray(values['text']) ? values['text'] : [values['text'] ?? ''] }),
  );
  return simple(`${id}.in`, `${id}.out`, ([output]) => {
    if (output !== 'text') return undefined;
    return isList
      ? { expr: `(nodes.${id} ?? [])`, kind: 'texts' }
      : { expr: `(first(nodes.${id} ?? []) ?? "")`, kind: 'text' };
  });
};
