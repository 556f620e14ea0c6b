/** How close an import is: `equal` if it behaves like DB-GPT's source, otherwise a description of the difference. */
export type Fit = 'equal' | { readonly differs: string };

const close = (differs: string): Fit => ({ differs });
const OUR_REQUEST = 'Its output has the form of a request here, which every node that calls a model reads.';
const LOADED =
  'Its store is a knowledge space; it outputs the loaded document, and its chunks only to an operator that makes a text of them.';
const KEPT_TURNS = 'The server uses at most ten rounds of a conversation.';

/** One entry for every operator with a counterpart. Tests check each: if it is equal, both are run and compared. */
export const fits: Readonly<Record<string, Fit>> = {
  agent_branch_join_operator: 'equal',
  agent_operator: close(
    'Of its resources only knowledge spaces, databases and flows are imported. The answer is a stream, which a node before the next operator makes one text of.',
  ),
  agent_trigger: close('It starts with a chat, not with the context of an agent.'),
  awel_dict_http_sender: close(
    'Every 2xx status counts as a success, cookies are left out, and a token is a secret. At the end of a flow it also answers with status and headers.',
  ),
  base_output_operator: close(
    'Chunks are passed on as they arrive; a prompt that the model repeats is not cut off.',
  ),
  chat_history_load_operator: close(KEPT_TURNS),
  chunk_manager_operator: close('Documents are split by the node that loads them.'),
  chunks_to_string_operator: 'equal',
  common_llm_http_trigger: close(
    'A result that is not a stream is answered as JSON even with `stream: true`.',
  ),
  common_streaming_output_operator: close(
    'The same events; a failure before the first one is an error answer with its status.',
  ),
  conversation_composer_operator: close(`${KEPT_TURNS} It does not need a storage.`),
  default_code_map_operator: close('JavaScript runs; Python is preserved as a comment.'),
  default_converter_boolean_to_string: close('It writes `true` where Python writes `True`.'),
  default_converter_float_to_string: close('It writes `1` where Python writes `1.0`.'),
  default_converter_integer_to_string: 'equal',
  default_converter_model_output_to_dict: close(
    'It has the fields of Weft’s answers: `text`, `usage` and others.',
  ),
  default_converter_string_to_boolean: 'equal',
  default_converter_string_to_float: 'equal',
  default_converter_string_to_integer: 'equal',
  default_serve_pre_chat_history_load_operator: close(KEPT_TURNS),
  default_sql_output_parser: close(
    'The model’s answer is passed on; the node that executes the statement reads it.',
  ),
  dict_http_trigger: 'equal',
  embedding_assembler_operator: close(LOADED),
  embedding_retriever_operator: close(
    'Its store is a knowledge space; words and meaning are ranked together, without a threshold of a score.',
  ),
  example_http_hello_operator: 'equal',
  'full text_storage_operator': close(LOADED),
  higher_order_datasource_executor_operator: close(
    'The statement meets three walls, and the attribute of the drawing is well formed.',
  ),
  higher_order_datasource_retriever_operator: close(
    'The data source is a connection of its name; its tables are ranked by words.',
  ),
  higher_order_knowledge_operator: close(
    'The context is one text; words and meaning are ranked together, without a threshold of a score.',
  ),
  higher_order_llm_operator: close(
    `${KEPT_TURNS} It returns the whole answer even with \`stream: true\`. Its own \`model\` overrides the request’s.`,
  ),
  higher_order_streaming_llm_operator: close(
    `${KEPT_TURNS} It always streams; for \`stream: false\` its trigger assembles the answer. Its own \`model\` overrides the request’s.`,
  ),
  history_prompt_builder_operator: close(OUR_REQUEST),
  http_trigger: close('Request models other than DB-GPT’s own must be written as JSON Schema.'),
  knowledge_graph_operator: close('No graph is made: the document is searched by words and meaning.'),
  knowledge_operator: close(
    'Documents are files, texts or addresses in the request; a path on the original’s server is not read.',
  ),
  knowledge_process_join_operator: close('The first branch that is done is passed on.'),
  knowledge_process_operator: close('Every branch gets the document.'),
  knowledge_space_prompt_builder_operator: close(`${OUR_REQUEST} Its context is written as JSON.`),
  llm_branch_join_operator: close('A whole answer is passed on as a stream of its parts.'),
  llm_branch_operator: 'equal',
  llm_operator: close('The answer has `usage` and `finishReason` instead of `metrics` and `finish_reason`.'),
  merge_string_to_dict_operator: 'equal',
  merged_request_builder_operator: close(OUR_REQUEST),
  model_output_2_common_response_body_operator: close('Its `metrics` contain the tokens but no times.'),
  openai_streaming_output_operator: close(
    'A failure is an `error` event; the chunks have the id of the run and name the flow as `model`, the whole answer the model.',
  ),
  prompt_builder_operator: close(OUR_REQUEST),
  prompt_format_dict_builder_operator: close('Fields of `extra` are left out.'),
  query_rewrite_operator: close('Its prompt is another one.'),
  report_analyst: close('Its default prompt is another one.'),
  request_body_to_dict_operator: close('Omitted fields without a default are left out.'),
  request_body_to_str__parsed_operator: 'equal',
  request_builder_operator: close(OUR_REQUEST),
  request_http_trigger: close('It outputs the query or the body instead of the request object.'),
  space_operator: close('Words and meaning are ranked together, without a threshold of a score.'),
  streaming_llm_operator: close(
    'Items contain only new text instead of the whole text; the node that writes events assembles it.',
  ),
  string_2_model_output_operator: close('It has a `text` and no `error_code`.'),
  string_branch_join_operator: close('A whole answer is passed on as a stream of its parts.'),
  string_http_trigger: close('It reads the body instead of the query field `body`.'),
  string_join_operator: 'equal',
  summary_assembler_operator: close(
    'It summarises texts. A document that a knowledge operator names is loaded into a knowledge space first, which reads files and addresses.',
  ),
  user_input_parsed_operator: 'equal',
  vector_storage_operator: close(LOADED),
};

/** Operators of DB-GPT’s editor that become placeholders. */
export const placeholders: readonly string[] = [
  'agent_branch_operator',
  'default_code_dict_to_model_request_operator',
  'default_sql_list_output_parser',
  'higher_order_datasource_dashboard_operator',
  'higher_order_datasource_structed_operator',
];
