/**
 * A recorded step as text: the nodes whose ends were taken since the record before, then the step's result. Node ids
 * contain no comma and no line break.
 */
export interface StepRecord {
  readonly order: readonly string[];
  readonly text: string;
}

export function writeRecord({ order, text }: StepRecord): string {
  return `${order.join(',')}\n${text}`;
}

export function readRecord(record: string): StepRecord {
  const end = record.indexOf('\n');
  const order = record.slice(0, end);
  return { order: order === '' ? [] : order.split(','), text: record.slice(end + 1) };
}
