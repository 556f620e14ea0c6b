import { z } from 'zod';
import { LogLevel } from '#shared/run-event.ts';
import { defineOperator, input, output, toText } from '../../base/operator.ts';
import { reading } from '../_record.ts';

export default defineOperator({
  title: 'Log',
  doc: 'Writes a line into the log of the run, then passes its input on. At the end of a branch it does not count as a result.',
  icon: 'scroll-text',
  summary: '[{level} · ]{message}',
  synonyms: 'print, debug, console, console log, logger, echo',
  params: z.object({
    level: LogLevel.default('info').describe('How important the line is.'),
    message: z
      .unknown()
      .default('{{ input }}')
      .describe('The line: a text with expressions; any other value is written as JSON.')
      .meta({ widget: 'textarea' }),
  }),
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The input, unchanged.' }) },
  infer: { outputs: { out: { input: 'in' } } },
  effects: 'pure',
  sink: true,
  lift: true,
  examples: [
    { title: 'The input as it is', inputs: { in: { id: 7 } }, outputs: { out: { id: 7 } } },
    {
      title: 'A warning',
      params: { level: 'warn', message: 'No stock left of {{ input.article }}' },
      inputs: { in: { article: 'cup' } },
      outputs: { out: { article: 'cup' } },
    },
  ],
  run(call) {
    const { level, message } = call.params;
    call.log(
      level,
      reading(() => toText(message)),
    );
    return call.input;
  },
});
