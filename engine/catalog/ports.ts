import type { InputPort, OutputPort } from '#shared/catalog.ts';
import { jsonSchema } from './params.ts';
import type { Operator } from '../operator.ts';

export function describeInputs(inputs: Operator['inputs']): InputPort[] {
  return Object.entries(inputs).map(([name, port]) => ({
    name,
    kind: port.kind,
    required: port.required,
    ...(port.doc !== undefined && { doc: port.doc }),
    ...(port.many !== undefined && { many: port.many as 'any' | 'all' }),
    ...(port.schema && { schema: jsonSchema(port.schema) }),
  }));
}

export function describeOutputs(outputs: Operator['outputs']): OutputPort[] {
  return Object.entries(outputs).map(([name, port]) => ({
    name,
    kind: port.kind,
    ...(port.doc !== undefined && { doc: port.doc }),
    ...(port.schema && { schema: jsonSchema(port.schema) }),
    ...(port.when && { when: port.when }),
  }));
}
