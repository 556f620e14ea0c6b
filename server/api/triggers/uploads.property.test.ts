import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { damagedForms, sendDamaged } from '../../../tests/support/damaged-forms.ts';
import { fc } from '../../../tests/support/property.ts';
import { fileBed } from './testing/file-bed.ts';
import { eventually } from '../../../tests/support/eventually.ts';

test('any damaged form is answered with 200 or a coded refusal, and of a refused one nothing stays', async () => {
  const bed = await fileBed({ form: { trigger: { accept: ['multipart'] }, settings: { record: 'off' } } });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(damagedForms, async (sent) => {
      const answer = await sendDamaged(bed.port, '/api/v1/awel/trigger/form', sent);
      const [, status = ''] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
      if (sent.missing > 0 && answer === '') return;
      expect(['200', '204', '400', '413'], answer).toContain(status);
      if (status.startsWith('4'))
        expect(answer).toMatch(/"err_code":"(?:invalid_request|too_many_values|body_too_large)"/);
      else taken += (answer.match(/"\$file":"f_/g) ?? []).length;
      expect(answer).not.toMatch(/"name":"[^"]*[/\\]/);
    }),
    { numRuns: 250 },
  );
  const stored = (): string[] =>
    readdirSync(join(bed.ctx.config.data, 'files'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /[0-9a-f]{32}/.test(name),
    );
  // Files given to runs stay for a day; all others are gone.
  await eventually(() => expect(stored().length).toBeLessThanOrEqual(taken));
  expect(({} as Record<string, unknown>)['$file']).toBeUndefined();
});
