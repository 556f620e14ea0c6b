import { modelOf, tellPart, toolsOf } from '../agents/parts.ts';
import { promptOf, schemaOf } from '../agents/answer-form.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { following, type Port } from '../graph.ts';
import { perItem, spreadItems } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';
import type { Step } from '../workflow.ts';

/** Agents: a model with a memory and tools. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

function agent(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  return gives(
    perItem(context, input, (inside, item) => {
      const reads = inside.reads(item);
      const prompt = promptOf({ ...inside, params }, reads);
      const system = inside.text(
        params.get('options.systemMessage') ?? params.get('options.humanMessage') ?? '',
        reads,
      );
      const model = modelOf(context);
      const tools = toolsOf(context);
      const schema = schemaOf(context);
      const from = remembered(context, inside, item, prompt);
      const id = inside.add(step.name, {
        operator: 'agent.run',
        params: {
          agent: {
            name: step.name.slice(0, 100),
            prompt: system,
            ...(model !== undefined && { model }),
            ...(tools.length > 0 && { tools }),
          },
          input: from.question,
        },
      });
      inside.wire(from.port, `${id}.in`);
      const text = inside.add(`${step.name} text`, {
        operator: 'core.reduce',
        params: { initial: '', value: "{{ acc + (item?.type === 'text' ? item.text : '') }}" },
      });
      inside.wire(`${id}.out`, `${text}.in`);
      from.keep(text);
      return answered(inside, text, { schema, model, field: 'output' });
    }),
  );
}

interface Remembered {
  readonly port: Port;
  readonly question: unknown;
  /** Stores the answer with the conversation. */
  keep(text: string): void;
}

/** An agent with a memory keeps its conversations in the state of the flow, by session. */
function remembered(context: Context, inside: Context, item: Port, prompt: string): Remembered {
  const [memory, ...more] = context.parts('ai_memory');
  for (const part of [memory, ...more])
    if (part)
      tellPart(context, part, 'the memory of the agent', 'Conversations are kept in the state of the flow.');
  if (memory === undefined) return { port: item, question: prompt, keep: () => undefined };
  const { step } = context;
  const session = sessionOf(inside, memory, item);
  const rounds = Number(memory.parameters['contextWindowLength'] ?? 5) || 5;
  const asked = inside.add(`${step.name} asked`, {
    operator: 'core.map',
    params: { value: { prompt, session } },
  });
  inside.wire(item, `${asked}.in`);
  const get = inside.add(`${step.name} memory`, {
    operator: 'state.get',
    params: { key: 'memory {{ input.session }}', fallback: [] },
  });
  inside.wire(`${asked}.out`, `${get}.in`);
  const messages = inside.add(`${step.name} messages`, {
    operator: 'core.map',
    params: {
      value: `{{ [...input.slice(-${2 * Math.trunc(rounds)}), { role: "user", content: nodes.${asked}.prompt }] }}`,
    },
  });
  inside.wire(`${get}.out`, `${messages}.in`);
  return {
    port: inside.port(messages, 'out', { card: 'one' }),
    question: '{{ input }}',
    keep(text) {
      const id = inside.add(`${step.name} remember`, {
        operator: 'state.set',
        params: {
          key: `memory {{ nodes.${asked}.session }}`,
          value: `{{ [...nodes.${messages}, { role: "assistant", content: input }] }}`,
        },
      });
      inside.wire(`${text}.out`, `${id}.in`);
    },
  };
}

/** The key by which a memory tells conversations apart. */
function sessionOf(inside: Context, { parameters }: Step, item: Port): string {
  const key = parameters['sessionKey'];
  return key === undefined || parameters['sessionIdType'] !== 'customKey'
    ? '{{ input?.sessionId ?? "" }}'
    : inside.text(key, inside.reads(item));
}

const ROLES: Readonly<Record<string, string>> = { user: 'user', ai: 'assistant', system: 'system' };

/** Reads, adds to, or forgets the conversation that a memory keeps. */
function memoryManager(context: Context): Given {
  const { params, step } = context;
  const mode = params.text('mode') ?? 'load';
  const [memory] = context.parts('ai_memory');
  if (memory === undefined) throw new NotHere('it has no memory', ['state.get', 'state.set']);
  if (mode === 'delete' && params.text('deleteMode') === 'lastN')
    throw new NotHere('it forgets the last messages', ['state.get and state.set']);
  const input = required(context);
  for (const part of context.parts('ai_memory'))
    tellPart(context, part, 'the memory', 'Conversations are kept in the state of the flow.');
  if (params.get('simplifyOutput') === false)
    context.changed('setting', 'It gave messages whole; here they are rounds of a question and its answer.', {
      before: 'simplifyOutput: false',
      lost: true,
    });
  const isGrouped = params.get('options.groupMessages') ?? step.version > 1;
  const isApart = mode === 'load' && isGrouped === false;
  const port = perItem(context, input, (inside, item) =>
    conversation(inside, item, { memory, mode, isApart }),
  );
  if (!isApart) return gives(port);
  if (input.card === 'many') return gives(spreadItems(context, { ...port, ...following(input) }, 'many'));
  return gives({ ...port, card: 'many', mayBeEmpty: true });
}

function conversation(
  inside: Context,
  item: Port,
  { memory, mode, isApart }: { readonly memory: Step; readonly mode: string; readonly isApart: boolean },
): Port {
  const { step, params } = inside;
  const list = params.list('messages.messageValues');
  const reads = inside.reads(item);
  const added = list.map((one) => ({
    role: ROLES[asText(one['type'] ?? 'system')] ?? 'system',
    content: inside.text(one['message'] ?? '', reads),
  }));
  const asked = inside.add(`${step.name} asked`, {
    operator: 'core.map',
    params: { value: { session: sessionOf(inside, memory, item), added } },
  });
  inside.wire(item, `${asked}.in`);
  const get = inside.add(step.name, {
    operator: 'state.get',
    params: { key: 'memory {{ input.session }}', fallback: [] },
  });
  inside.wire(`${asked}.out`, `${get}.in`);
  const isAdded = mode === 'insert' && params.text('insertMode') !== 'override';
  const value =
    mode === 'load'
      ? '{{ input }}'
      : mode === 'delete'
        ? '{{ [] }}'
        : `{{ [${isAdded ? '...input, ' : ''}...nodes.${asked}.added] }}`;
  const messages = inside.add(`${step.name} messages`, { operator: 'core.map', params: { value } });
  inside.wire(`${get}.out`, `${messages}.in`);
  let kept = messages;
  if (mode !== 'load') {
    kept = inside.add(`${step.name} kept`, {
      operator: 'state.set',
      params: { key: `memory {{ nodes.${asked}.session }}`, value: '{{ input }}' },
    });
    inside.wire(`${messages}.out`, `${kept}.in`);
  }
  const made = inside.add(`${step.name} item`, {
    operator: 'core.map',
    params: {
      value: isApart
        ? `{{ ${ROUNDS} }}`
        : { messages: `{{ ${ROUNDS} }}`, messagesCount: `{{ length(${ROUNDS}) }}` },
    },
  });
  inside.wire(`${kept}.out`, `${made}.in`);
  return inside.port(made, 'out', { card: 'one', aligned: new Set([step.name]) });
}

/** Rounds of a question and its answer, as they are there in short. */
const ROUNDS =
  'chunk(input.filter(one => one.role != "system"), 2).map(round => ({ human: round[0]?.content, ai: round.at(1)?.content }))';

/** The answer as an item; with a schema a model puts it into its form. */
function answered(
  inside: Context,
  text: string,
  {
    schema,
    model,
    field,
  }: { schema: Record<string, unknown> | undefined; model: string | undefined; field: string },
): Port {
  const { step } = inside;
  let from = text;
  if (schema !== undefined) {
    from = inside.add(`${step.name} parsed`, {
      operator: 'model.structured',
      params: {
        ...(model !== undefined && { model }),
        system: 'Put the text into the form of the schema. Change nothing else.',
        prompt: '{{ input }}',
        schema,
      },
    });
    inside.wire(`${text}.out`, `${from}.in`);
  }
  const id = inside.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ { ${field}: input } }}` },
  });
  inside.wire(`${from}.out`, `${id}.in`);
  return inside.port(id, 'out', { card: 'one', aligned: new Set([step.name]) });
}

const PARSED = 'If the answer has to fit a schema, a further call of the model brings it into that form.';

export const agentEntries: readonly Entry[] = [
  {
    kind: 'agent',
    versions: '1 to 3',
    word: 'close',
    becomes: '`agent.run`',
    difference: PARSED,
    convert: agent,
  },
  {
    kind: 'memoryManager',
    versions: '1 to 1.1',
    word: 'close',
    becomes: '`state.get`, `state.set`',
    difference:
      'Messages come as rounds of a question and its answer; deleting the last ones is a placeholder.',
    convert: memoryManager,
  },
];
