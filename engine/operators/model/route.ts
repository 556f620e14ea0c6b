import { z } from 'zod';
import { type Call, defineOperator, input, literal, output, WeftError } from '../../base/operator.ts';
import type { ModelCall } from '../../base/services.ts';
import { askModel } from '../_answer.ts';
import { modelCallOf, modelParams } from '../_model-call.ts';
import { portList } from '../_port-list.ts';
import { type Chosen, ELSE, readChoice, type RouteCase, routeInstructions, routeSchema } from '../_routes.ts';

/** Most characters of an answer in the log. */
const SHOWN = 500;

const cases = [
  { name: 'billing', description: 'Invoices, payments, refunds.' },
  { name: 'technical', description: 'Something does not work.' },
];

export default defineOperator({
  title: 'Route by a model',
  doc: 'Lets a model decide which case fits, and sends its input there unchanged; to `else` if none fits, or if the model names a case that does not exist. Its reason is in the log of the run.',
  icon: 'signpost',
  summary: '{cases: {name}}',
  synonyms: 'classifier, intent, question classifier, text classifier, llm router, switch by model',
  params: z.object({
    cases: portList(
      {
        description: z
          .string()
          .min(1)
          .max(2000)
          .describe('When this case applies, for the model.')
          .meta({ widget: 'textarea' }),
      },
      [ELSE, 'error'],
    )
      .describe('The cases, each with a name, which is an output, and a description.')
      .meta({ initial: [{ name: 'case_1', description: '' }] }),
    many: literal(
      z.boolean().default(false).describe('Whether the model may choose several cases; otherwise one.'),
    ),
    structured: z
      .boolean()
      .default(true)
      .describe(
        'Whether the answer is requested by a JSON Schema. If the provider refuses that, the model is asked again in words; with false it is asked in words at once.',
      ),
    ...modelParams,
  }),
  options: {
    Input: ['files', 'documents'],
    Answer: ['many', 'structured', 'temperature', 'maxTokens', 'topP', 'stop'],
  },
  inputs: {
    in: input({ doc: 'A chat message, a request, a list of messages or a text; any value with `prompt`.' }),
  },
  outputs: { [ELSE]: output({ doc: 'The input, if no case was chosen.' }) },
  derivedOutputs: {
    param: 'cases',
    nameKey: 'name',
    kind: 'value',
    doc: 'The input, if the model chose this case.',
  },
  infer: { outputs: { [ELSE]: { input: 'in' }, '*': { input: 'in' } } },
  effects: 'read',
  exclusive: { unless: 'many' },
  examples: [
    {
      title: 'The demo model chooses the first case',
      params: { model: 'demo/echo', cases },
      inputs: { in: 'My card was charged twice.' },
      outputs: { billing: 'My card was charged twice.' },
    },
    {
      title: 'A message made from the input',
      params: { model: 'demo/echo', cases, many: true, prompt: '{{ input.subject }}' },
      inputs: { in: { subject: 'Refund', from: 'Ada' } },
      outputs: { billing: { subject: 'Refund', from: 'Ada' } },
    },
    { title: 'No message', params: { model: 'demo/echo', cases }, inputs: { in: 5 }, error: 'bad_input' },
  ],
  async run(call) {
    const { cases: known, many, structured, ...params } = call.params;
    const asked = requestFor(known, many, modelCallOf(params, call.input), params);
    const text = await answerOf(call, structured ? { ...asked, schema: routeSchema(known, many) } : asked);
    const chosen = readChoice(text, known, many);
    note(call, chosen, text);
    const names = chosen === undefined || chosen.cases.length === 0 ? [ELSE] : chosen.cases;
    return Object.fromEntries(names.map((name) => [name, call.input]));
  },
});

/** Only what the request in the input says counts: its tools, limits and format are for another answer. */
function requestFor(
  known: readonly RouteCase[],
  many: boolean,
  { model, messages, documents }: ModelCall,
  { temperature, maxTokens, topP, stop }: Partial<ModelCall>,
): ModelCall {
  const instructions = { role: 'system', content: routeInstructions(known, many) } as const;
  const said = messages.findLastIndex(({ role }) => role === 'system') + 1;
  const own = Object.entries({ documents, temperature, maxTokens, topP, stop });
  return {
    ...(Object.fromEntries(own.filter(([, value]) => value !== undefined)) as Partial<ModelCall>),
    model,
    messages: messages.toSpliced(said, 0, instructions),
  };
}

/** The text of the answer, whether or not it fits the schema. */
async function answerOf(call: Call, asked: ModelCall): Promise<string> {
  const said = { text: '' };
  try {
    const { text, finishReason } = await askModel(call, asked, said);
    if (finishReason !== 'length') return text;
    throw new WeftError('model_bad_answer', 'The answer was cut off before its end; raise `maxTokens`.');
  } catch (error) {
    if (!(error instanceof WeftError) || asked.schema === undefined) throw error;
    if (isUnfit(error)) return said.text;
    if (error.code !== 'model_bad_request' && error.code !== 'setting_unsupported') throw error;
    call.log('warn', `The provider refuses a schema, so the model is asked again in words: ${error.message}`);
    const { schema: _schema, ...inWords } = asked;
    return await answerOf(call, inWords);
  }
}

/** Whether the answer is complete, and only does not fit its schema. */
function isUnfit({ code, data }: WeftError): boolean {
  return code === 'model_bad_answer' && (data as { unfit?: boolean } | undefined)?.unfit === true;
}

function note(call: Call, chosen: Chosen | undefined, text: string): void {
  if (chosen === undefined) {
    const answer = text.slice(0, SHOWN);
    call.log('warn', `The model named no case, so the input goes to \`${ELSE}\`: ${answer}`, {
      cases: [ELSE],
      answer,
    });
    return;
  }
  const names = chosen.cases.length === 0 ? [ELSE] : chosen.cases;
  const reason = chosen.reason.slice(0, SHOWN);
  const why = reason === '' ? '' : `: ${reason}`;
  call.log('info', `The model chose ${names.join(', ')}${why}`, { cases: names, reason });
}
