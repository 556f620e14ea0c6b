import type { FlowNode } from '#shared/flow.ts';
import { connectionNameOf } from '../../../integrations/connections/connection-name.ts';
import type { Note, Original } from '../original.ts';
import { literalText, type Mapping, type Mappings, only, quoted } from './mapping.ts';
import { isPlainQuestion, promptOf, QUESTION } from './prompts.ts';
import { promptNames, promptText } from './prompt-text.ts';

/** Tokens of an answer, by DB-GPT's names. */
const METRICS =
  '{{ input?.usage ? { prompt_tokens: input.usage.inputTokens, completion_tokens: input.usage.outputTokens, total_tokens: input.usage.inputTokens + input.usage.outputTokens } : {} }}';

/** Operators that call models or agents, or process their answers. */
export const modelMappings: Mappings = {
  request_builder_operator: {
    operator: 'model.request',
    params: (from) => ({
      ...modelOf(from),
      ...only(from.number('temperature'), (temperature) => ({ temperature })),
      ...only(from.number('max_new_tokens'), (maxTokens) => ({ maxTokens })),
    }),
  },
  conversation_composer_operator: {
    operator: 'model.request',
    // After it, because its prompt reads fields of the request that are not part of a conversation.
    around: (from) => ({ behind: historyNode(rounds(from)) }),
    params(from) {
      const prompt = promptOf(from.resource('prompt_template'));
      const known = { [from.text('human_message_key') ?? 'user_input']: QUESTION };
      return {
        ...(prompt.system !== '' && { system: promptText(prompt.system, 'input.extra', known) }),
        ...(!isPlainQuestion(prompt) && { prompt: promptText(prompt.human, 'input.extra', known) }),
      };
    },
  },
  merged_request_builder_operator: { operator: 'data.merge', many: true },
  llm_operator: asking('model.chat'),
  streaming_llm_operator: asking('model.stream'),
  higher_order_llm_operator: withPrompt('model.chat'),
  higher_order_streaming_llm_operator: withPrompt('model.stream'),
  llm_branch_operator: { operator: 'model.branch', outputs: ['stream', 'whole'] },
  llm_branch_join_operator: { operator: 'model.join', inputs: ['stream', 'whole'] },
  string_branch_join_operator: { operator: 'model.join', inputs: ['stream', 'whole'] },
  model_output_2_common_response_body_operator: {
    operator: 'core.map',
    params: () => ({
      value: { text: '{{ input.text }}', error_code: 0, metrics: METRICS },
    }),
  },
  string_2_model_output_operator: {
    operator: 'core.map',
    params: () => ({ value: { text: '{{ input }}' } }),
  },
  base_output_operator: {
    operator: 'core.transform-stream',
    params: () => ({ value: "{{ item.type === 'text' ? item.text : '' }}" }),
  },
  // Each body contains all of the text so far, of which the trigger writes `data:<text>`.
  common_streaming_output_operator: {
    operator: 'model.common-stream',
    params: () => ({ incremental: false }),
  },
  openai_streaming_output_operator: { operator: 'model.openai-stream' },
  agent_trigger: { operator: 'trigger.chat', inputs: [] },
  agent_operator: {
    operator: 'agent.run',
    params(from, _flow, note) {
      const agent = from.resource('awel_agent');
      if (!agent) return {};
      const tools = agent.resources.flatMap((resource) => toolOf(resource, note));
      return {
        agent: {
          name: literalText(agent.text('role_name') ?? agent.text('agent_profile') ?? 'Assistant'),
          prompt: literalText(agent.text('fixed_subgoal') ?? ''),
          ...(tools.length > 0 && { tools }),
        },
      };
    },
  },
};

/** Types of an agent's resources that are tools here, with the objects that their values name. */
const TOOLS: Readonly<Record<string, readonly [type: string, names: string]>> = {
  knowledge: ['knowledge', 'knowledge space'],
  database: ['database', 'connection'],
  awel_flow: ['flow', 'flow'],
};

/** A resource of an agent as its tool; those without a counterpart are noted. */
function toolOf(resource: Original, note: Note): object[] {
  const label = resource.data.label ?? resource.name;
  const given =
    resource.name === 'agent_resource_knowledge' ? 'knowledge' : resource.text('agent_resource_type');
  const [type, names] = TOOLS[given ?? ''] ?? [];
  const named = resource.text('agent_resource_value')?.trim();
  const value = named && type === 'database' ? connectionNameOf(named) : named;
  if (type === undefined || !value) {
    const what = [given, value].filter((one) => one !== undefined).join(' ');
    note(
      'not-supported',
      `${label}${what === '' ? '' : ` (${what})`} of the agent was not imported; add it to the agent’s settings.`,
      'warning',
    );
    return [];
  }
  note(
    'not-supported',
    `${label} of the agent became a tool; the ${names} ${quoted(value)} has to exist here under this name.`,
    'warning',
  );
  const name = (resource.text('agent_resource_name') ?? value).slice(0, 100);
  return [{ type, name: literalText(name), value: literalText(value) }];
}

function asking(operator: string): Mapping {
  return {
    operator,
    params(from, _flow, note) {
      noteClient(from, note);
      return {};
    },
  };
}

function withPrompt(operator: string): Mapping {
  return {
    operator,
    around: (from) => ({ front: historyNode(historyOf(from)), extras: (inputs) => contexts(from, inputs) }),
    params(from, _flow, note) {
      noteClient(from, note);
      const resource = from.resource('prompt_template');
      const prompt = resource ? promptOf(resource) : DEFAULT_PROMPT;
      const known = { [from.text('user_message_key') ?? 'user_input']: QUESTION };
      return {
        ...modelOf(from),
        ...(prompt.system !== '' && { system: promptText(prompt.system, 'input', known) }),
        ...(!isPlainQuestion(prompt) && { prompt: promptText(prompt.human, 'input', known) }),
      };
    },
  };
}

/** The prompt that DB-GPT uses if none is set. */
const DEFAULT_PROMPT = { system: 'You are a helpful AI assistant.', human: '{user_input}' };

/** The values named in the prompt: from each input, the one with its name as `context_key`. */
function contexts(from: Original, inputs: readonly string[]): FlowNode {
  const { system, human } = promptOf(from.resource('prompt_template'));
  const own = from.text('user_message_key') ?? 'user_input';
  const names = promptNames(`${system}${human}`).filter((name) => name !== own);
  const list = `[${inputs.map((name) => `inputs?.${name}`).join(', ')}]`;
  const value = names.map((name) => [
    name,
    `{{ ${list}.find(one => one?.context_key === ${quoted(name)}).context }}`,
  ]);
  const ports = inputs.map((name) => ({ name, required: false }));
  return { operator: 'core.join', params: { inputs: ports, value: Object.fromEntries(value) } };
}

function modelOf(from: Original): Record<string, unknown> {
  return only(from.text('model'), (model) => ({ model: literalText(model) }));
}

function noteClient(from: Original, note: Note): void {
  const client = from.resource('llm_client');
  if (!client || client.name === 'default_llm_client') return;
  note(
    'not-supported',
    `${client.data.label ?? client.name} is a setting of the server here: add its address and key as a provider, and name its model in \`model\`.`,
    'warning',
  );
}

type Params = Record<string, unknown>;

/** The rounds that the server itself stores, which need no node. */
const KEPT_ROUNDS = 10;

/** A node that limits the history; undefined without params for one. */
function historyNode(params: Params | undefined): FlowNode | undefined {
  return params && { operator: 'prompt.history', params };
}

/** The history mode of an operator, as params of `prompt.history`; undefined if the server does the same anyway. */
function historyOf(from: Original): Params | undefined {
  const mode = from.text('history_merge_mode') ?? 'none';
  if (mode === 'window') return rounds(from);
  if (mode === 'token')
    return { mode, ...only(from.number('max_token_limit'), (maxTokens) => ({ maxTokens })) };
  return { mode: 'none' };
}

/** First and last rounds to keep; without either, all are kept. */
function rounds(from: Original): Params | undefined {
  const first = from.number('keep_start_rounds');
  const start = first ?? 0;
  const end = from.number('keep_end_rounds') ?? (first === undefined ? KEPT_ROUNDS : 0);
  if (start === 0 && end === KEPT_ROUNDS) return undefined;
  return { mode: 'window', keepStartRounds: start, keepEndRounds: end };
}
