import {
  type Catalog,
  type InputPort,
  type OperatorInfo,
  type OutputPort,
  PLAIN_FACTS,
} from '#shared/catalog.ts';

/** A small catalog for tests, with ports of every kind. */
function operator(
  type: string,
  more: Partial<Omit<OperatorInfo, 'inputs' | 'outputs'>> & {
    inputs?: readonly Partial<InputPort>[];
    outputs?: readonly Partial<OutputPort>[];
  } = {},
): OperatorInfo {
  const { inputs = [{ name: 'in' }], outputs = [{ name: 'out' }], ...rest } = more;
  return {
    type,
    title: type.slice(type.indexOf('.') + 1),
    doc: `What ${type} does.`,
    icon: 'box',
    group: type.slice(0, type.indexOf('.')),
    params: { type: 'object', properties: {} },
    inputs: inputs.map((port) => ({ name: 'in', kind: 'value', required: true, ...port })),
    outputs: outputs.map((port) => ({ name: 'out', kind: 'value', ...port })),
    ...PLAIN_FACTS,
    ...rest,
  };
}

const operators = [
  operator('trigger.http', { title: 'HTTP request', inputs: [], trigger: true }),
  operator('text.template', { title: 'Template', doc: 'Writes a text from a pattern.' }),
  operator('data.for-each', { title: 'For each', body: 'usual' }),
  operator('core.group', { title: 'Group', body: 'required' }),
  operator('core.merge', { title: 'Merge', inputs: [{ many: 'any' }] }),
  operator('core.streamify', { title: 'List to stream', outputs: [{ kind: 'stream' }] }),
  operator('core.unstreamify', { title: 'Collect', inputs: [{ kind: 'stream' }] }),
  operator('core.either', { title: 'Pass on', inputs: [{ kind: 'either' }], outputs: [{ kind: 'either' }] }),
  operator('core.log', { title: 'Log', outputs: [], sink: true }),
  operator('logic.switch', {
    title: 'Switch',
    outputs: [{ name: 'default' }],
    derivedOutputs: { param: 'cases', nameKey: 'name', kind: 'value' },
  }),
];

export const catalog: Catalog = { operators: Object.fromEntries(operators.map((info) => [info.type, info])) };
