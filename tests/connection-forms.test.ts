import { expect, test } from 'vitest';
import { settingFields, type FormField } from '../editor/model/form/schema-form.ts';
import { isWanted } from '../editor/model/form/setting-when.ts';
import { describeKinds } from '../server/integrations/connections/open-connections.ts';

/** Look 32 and 40 of what was found on 0.2.0: forms of connections were long, and their choices were words of the code. */

const ESSENTIALS = 6;

/** The fields that stand there before anything is chosen. */
function fresh(fields: readonly FormField[]): readonly FormField[] {
  return fields.filter(({ group, when }) => {
    if (group !== undefined) return false;
    const other = when && fields.find(({ name }) => name === when.param);
    return !when || isWanted(when, other?.defaultValue);
  });
}

test('look 32: the form of a connection begins with what has to be given, and has the rest in groups', async () => {
  const long = (await describeKinds())
    // Sign-ins have a form of their own.
    .filter(({ kind }) => kind !== 'oauth2')
    .map(({ kind, settings }) => ({ kind, fields: fresh(settingFields(settings)).map(({ name }) => name) }))
    .filter(({ fields }) => fields.length > ESSENTIALS);
  expect(long).toEqual([]);
});

test('look 40: every choice in it is written for people', async () => {
  const raw = (await describeKinds())
    .filter(({ kind }) => kind !== 'oauth2')
    .flatMap(({ kind, settings }) =>
      settingFields(settings).flatMap(({ name, shape }) =>
        shape.kind === 'select'
          ? shape.options
              .filter(({ label }) => !/^[A-Z]/.test(label))
              .map(({ label }) => `${kind}.${name}: ${label}`)
          : [],
      ),
    );
  expect(raw).toEqual([]);
});
