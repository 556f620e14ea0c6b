import type { Original } from '../original.ts';
import type { Mappings } from './mapping.ts';
import { promptNames, promptText } from './prompt-text.ts';

/** A prompt resource: the text before the question, and the form of the question. */
export interface Prompt {
  readonly system: string;
  readonly human: string;
}

/** The user's words: `text` in a chat, `messages` in DB-GPT's request body. */
export const QUESTION = '{{ input?.text ?? input.messages }}';

export function promptOf(resource: Original | undefined): Prompt {
  if (!resource) return { system: '', human: '{user_input}' };
  const system = resource.value('system_message');
  return {
    system: typeof system === 'string' ? system : '',
    human: resource.text('human_message') ?? '{user_input}',
  };
}

/** The unchanged question, which every request already has. */
export function isPlainQuestion({ human }: Prompt): boolean {
  return /^\{\w+\}$/.test(human.trim());
}

/** Operators that make messages; their output has the form of a request, which every node that calls a model reads. */
export const promptMappings: Mappings = {
  prompt_builder_operator: {
    operator: 'core.map',
    params: (from) => ({ value: { messages: messagesOf(from, 'input') } }),
  },
  history_prompt_builder_operator: {
    operator: 'core.join',
    inputs: ['history', 'values'],
    params: (from) => ({
      inputs: [{ name: 'history' }, { name: 'values' }],
      value: { messages: messagesOf(from, 'inputs.values'), history: '{{ inputs.history }}' },
    }),
  },
  knowledge_space_prompt_builder_operator: {
    operator: 'core.join',
    inputs: ['user_input', 'context', 'history'],
    params(from) {
      // The question fills the first placeholder of the user's message, whatever its name.
      const [question = 'user_input'] = promptNames(promptOf(from.resource('prompt')).human);
      const known = {
        [from.text('history_key') ?? 'chat_history']: '{{ inputs.history }}',
        context: '{{ inputs.context }}',
        [question]: '{{ inputs.user_input }}',
      };
      return {
        inputs: [{ name: 'user_input' }, { name: 'context' }, { name: 'history' }],
        value: { messages: messagesOf(from, 'inputs', known), history: '{{ inputs.history }}' },
      };
    },
  },
  chat_history_load_operator: history(),
  default_serve_pre_chat_history_load_operator: history(),
};

/** The server stores conversations itself, and passes their messages with each request. */
function history() {
  return { operator: 'core.map', params: () => ({ value: '{{ input?.history ?? [] }}' }) };
}

function messagesOf(
  from: Original,
  root: string,
  known?: Readonly<Record<string, string>>,
): { role: string; content: string }[] {
  const { system, human } = promptOf(from.resource('prompt'));
  const question = { role: 'user', content: promptText(human, root, known) };
  return system === ''
    ? [question]
    : [{ role: 'system', content: promptText(system, root, known) }, question];
}
