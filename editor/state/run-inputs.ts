/** Inputs and examples that somebody used on a flow, and the advice of its template, stored in the browser. Never keys or other secrets. */
type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** A call of a trigger that somebody has stored under a name. */
export interface Example {
  readonly name: string;
  /** Id of the trigger’s node. */
  readonly trigger: string;
  readonly method: string;
  /** JSON, as it was written. */
  readonly input: string;
  /** `Name: value`, one per line. */
  readonly headers: string;
}

interface Kept {
  /** The last input of each trigger, as JSON text. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The trigger of the last run. */
  readonly trigger?: string;
  /** The advice of the flow’s template for the time after its first run. */
  readonly next?: string;
  readonly examples: readonly Example[];
}

const MAX_EXAMPLES = 50;
/** In characters; larger inputs are not stored. */
const MAX_INPUT = 200_000;

const keyOf = (flow: string): string => `weft.inputs.${flow}`;

/** Everything stored for a flow; nothing if it cannot be read. */
export function readInputs(flow: string, storage: Store | undefined = browserStorage()): Kept {
  try {
    const kept = JSON.parse(storage?.getItem(keyOf(flow)) ?? '{}') as Partial<Kept>;
    return { inputs: {}, examples: [], ...kept };
  } catch {
    return { inputs: {}, examples: [] };
  }
}

/** `input`: JSON text; a large one is not stored. */
export function rememberInput(
  flow: string,
  trigger: string,
  input: string,
  storage: Store | undefined = browserStorage(),
): void {
  if (input.length > MAX_INPUT) return;
  const kept = readInputs(flow, storage);
  write(flow, { ...kept, trigger, inputs: { ...kept.inputs, [trigger]: input } }, storage);
}

/** `next`: the advice of the template that the flow was made from. */
export function rememberNext(
  flow: string,
  next: string,
  storage: Store | undefined = browserStorage(),
): void {
  write(flow, { ...readInputs(flow, storage), next }, storage);
}

/** Replaces one of the same name and trigger. Returns all examples, the new one first. */
export function saveExample(
  flow: string,
  example: Example,
  storage: Store | undefined = browserStorage(),
): readonly Example[] {
  const others = readInputs(flow, storage).examples.filter((one) => !isSame(one, example));
  return writeExamples(flow, [example, ...others].slice(0, MAX_EXAMPLES), storage);
}

/** Returns the examples that are left. */
export function removeExample(
  flow: string,
  example: Pick<Example, 'name' | 'trigger'>,
  storage: Store | undefined = browserStorage(),
): readonly Example[] {
  const kept = readInputs(flow, storage).examples.filter((one) => !isSame(one, example));
  return writeExamples(flow, kept, storage);
}

function isSame(a: Pick<Example, 'name' | 'trigger'>, b: Pick<Example, 'name' | 'trigger'>): boolean {
  return a.name === b.name && a.trigger === b.trigger;
}

function writeExamples(flow: string, examples: readonly Example[], storage: Store | undefined) {
  write(flow, { ...readInputs(flow, storage), examples }, storage);
  return examples;
}

function write(flow: string, kept: Kept, storage: Store | undefined): void {
  try {
    storage?.setItem(keyOf(flow), JSON.stringify(kept));
  } catch {
    // With a full storage only this input is not remembered.
  }
}

function browserStorage(): Store | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
