import type { ShortNode } from '../server/flows/awel/testing/original-flow.ts';

/** Flows of single operators, and what they answer. */
export interface Case {
  readonly nodes: Readonly<Record<string, ShortNode>>;
  readonly edges: readonly string[];
  /** Bodies, and what the trigger answers to each. */
  readonly answers: readonly (readonly [body: unknown, answer: unknown])[];
}

/** One operator behind a trigger that gives what it is sent. */
export function alone(name: string, values: object, answers: Case['answers']): Case {
  const nodes = { o: { name, values: { ...values } }, f: field('a') };
  return { nodes, edges: ['t.0 > f.0', 'f.0 > o.0'], answers: answers.map(([a, answer]) => [{ a }, answer]) };
}

export const field = (key: string): ShortNode => ({
  name: 'request_body_to_str__parsed_operator',
  values: { key },
});
export const two = { a: field('a'), b: field('b') };
export const intoTwo = ['t.0 > a.0', 't.0 > b.0', 'a.0 > o.0', 'b.0 > o.1'];
export const llm = { model: 'demo/echo', messages: 'Hi' };

/** What differs, as the table says; in the original's place stands what it would have answered. */
export const close: Readonly<Record<string, Case & { readonly original: unknown }>> = {
  common_llm_http_trigger: {
    nodes: { t: { name: 'common_llm_http_trigger' }, o: field('messages') },
    edges: ['t.0 > o.0'],
    answers: [[{ ...llm, stream: true }, 'Hi']],
    original: 'Hi, as an event stream',
  },
  default_converter_boolean_to_string: {
    ...alone('default_converter_boolean_to_string', {}, [[true, 'true']]),
    original: 'True',
  },
  default_converter_float_to_string: {
    ...alone('default_converter_float_to_string', {}, [
      [1, '1'],
      [1.5, '1.5'],
    ]),
    original: '1.0',
  },
  prompt_format_dict_builder_operator: {
    nodes: {
      t: { name: 'common_llm_http_trigger' },
      o: { name: 'prompt_format_dict_builder_operator' },
    },
    edges: ['t.0 > o.0'],
    answers: [[{ ...llm, extra: { role: 'Ada' } }, { user_input: 'Hi' }]],
    original: { user_input: 'Hi', role: 'Ada' },
  },
  request_body_to_dict_operator: {
    nodes: { t: { name: 'common_llm_http_trigger' }, o: { name: 'request_body_to_dict_operator' } },
    edges: ['t.0 > o.0'],
    answers: [
      [llm, { ...llm, stream: false, chat_mode: 'chat_normal', incremental: true, enable_vis: true }],
    ],
    original: { ...llm, stream: false, temperature: null },
  },
  string_2_model_output_operator: {
    ...alone('string_2_model_output_operator', {}, [['Hi', { text: 'Hi' }]]),
    original: { text: 'Hi', error_code: 500 },
  },
};
