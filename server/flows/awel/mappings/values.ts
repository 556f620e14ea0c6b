import type { Original } from '../original.ts';
import { QUESTION } from './prompts.ts';
import { type Mapping, type Mappings, literalText, quoted, readField } from './mapping.ts';

/** Operators that turn one value into another. */
export const valueMappings: Mappings = {
  example_http_hello_operator: map(() => ({
    server_res: 'Hello, {{ input.name }}, your age is {{ input.age }}',
    request_body: '{{ input }}',
  })),
  request_body_to_dict_operator: map((from) => {
    const prefix = from.text('prefix_key');
    return prefix === undefined ? '{{ input }}' : readField('input', prefix.split('.'));
  }),
  user_input_parsed_operator: map((from) => ({
    [from.text('key') ?? 'user_input']: QUESTION,
  })),
  request_body_to_str__parsed_operator: map((from) => {
    const key = from.text('key') ?? 'messages';
    return key === 'messages' ? QUESTION : readField('input', [key]);
  }),
  prompt_format_dict_builder_operator: map((from) => ({
    [from.text('human_message_key') ?? 'user_input']: QUESTION,
  })),
  merge_string_to_dict_operator: {
    operator: 'core.join',
    inputs: ['first', 'second'],
    params: (from) => ({
      inputs: [{ name: 'first' }, { name: 'second' }],
      value: {
        [from.text('first_key') ?? 'user_input']: '{{ inputs.first }}',
        [from.text('second_key') ?? 'context']: '{{ inputs.second }}',
      },
    }),
  },
  string_join_operator: {
    operator: 'text.join',
    many: true,
    params: (from) => ({ separator: literalText(from.text('separator') ?? '\n\n') }),
  },
  chunks_to_string_operator: map(
    (from) =>
      `{{ join(input.map(chunk => typeOf(chunk) === 'object' ? chunk.content : chunk), ${quoted(from.text('separator') ?? '\n')}) }}`,
  ),
  default_converter_string_to_integer: map(() => '{{ int(input) }}'),
  default_converter_string_to_float: map(() => '{{ number(input) }}'),
  default_converter_string_to_boolean: map((from) => {
    const texts = (from.text('true_values') ?? 'true,1,y')
      .split(',')
      .map((text) => text.trim().toLowerCase());
    return `{{ [${texts.map(quoted).join(', ')}].includes(lower(trim(input))) }}`;
  }),
  default_converter_integer_to_string: map(() => '{{ string(input) }}'),
  default_converter_float_to_string: map(() => '{{ string(input) }}'),
  default_converter_boolean_to_string: map(() => '{{ string(input) }}'),
  default_converter_model_output_to_dict: map(() => '{{ input }}'),
  agent_branch_join_operator: { operator: 'core.merge', many: true },
};

function map(value: (from: Original) => unknown): Mapping {
  return { operator: 'core.map', params: (from) => ({ value: value(from) }) };
}
