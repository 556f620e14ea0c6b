import { z } from 'zod';
import { defineOperator, literal, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'Schedule',
  doc: 'Starts the flow at set times, once at each time, even if the server was restarted or the clock was changed in between. Its runs have the time limit of the flow’s settings.',
  icon: 'clock',
  summary: '{cron|cron}[ {timezone|zone}]',
  synonyms: 'cron, timer, every day, interval, schedule trigger, periodic, daily, hourly, recurring, job',
  params: z.object({
    cron: literal(
      z
        .string()
        .min(1)
        .max(200)
        .describe(
          'When: minute, hour, day of the month, month, day of the week, as in `0 9 * * 1-5` (weekdays at nine). A sixth field in front gives seconds.',
        )
        .meta({ widget: 'cron' }),
    ),
    timezone: literal(
      z
        .string()
        .min(1)
        .max(64)
        .default('UTC')
        .describe('The time zone of the pattern, such as Europe/Oslo.')
        .meta({ widget: 'timezone' }),
    ),
    catchUp: z
      .enum(['none', 'latest', 'all'])
      .default('latest')
      .describe(
        'Times that passed while the server was down start nothing, one run for the latest of them, or a run for each (at most 100).',
      ),
    overlap: z
      .enum(['skip', 'allow'])
      .default('skip')
      .describe('Whether a run is skipped if the previous one is still in progress.'),
    input: literal(z.json().optional().describe('The input of each run.').meta({ widget: 'json' })),
  }),
  options: { 'Missed runs': ['catchUp', 'overlap'] },
  inputs: {},
  outputs: {
    out: output({
      doc: 'When the run was due (`at`, ISO 8601), whether that time passed while the server was down (`late`), and `input`.',
      schema: z.object({ at: z.string(), late: z.boolean(), input: z.unknown() }),
    }),
  },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'Weekdays at nine in Oslo',
      params: { cron: '0 9 * * 1-5', timezone: 'Europe/Oslo' },
      outputs: { out: { at: '2026-03-02T08:00:00.000Z', late: false, input: null } },
    },
  ],
});
