import type { OperatorInfo } from '#shared/catalog.ts';

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Record<string, SchemaNode>;
  readonly items?: SchemaNode;
}

/** Params and ports without a description, by path. */
export function undescribed(info: OperatorInfo): string[] {
  return [...paramsWithoutDoc(info.params, 'params'), ...portsWithoutDoc(info)];
}

function paramsWithoutDoc(schema: SchemaNode, path: string): string[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...paramsWithoutDoc(field, `${path}.${name}`),
  ]);
  return schema.items ? [...fields, ...paramsWithoutDoc(schema.items, `${path}[]`)] : fields;
}

function portsWithoutDoc(info: OperatorInfo): string[] {
  const inputs = info.inputs.filter((port) => !port.doc).map((port) => `inputs.${port.name}`);
  const outputs = info.outputs.filter((port) => !port.doc).map((port) => `outputs.${port.name}`);
  const derived = [info.derivedInputs, info.derivedOutputs].filter((ports) => ports && !ports.doc);
  return [...inputs, ...outputs, ...derived.map((ports) => `the ports of params.${ports?.param}`)];
}
