import { lazy, Suspense, useMemo } from 'react';
import { Input } from '../../ui/Input.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { type FieldMessage, useMessages, useSetter, useValue } from '../form-context.tsx';
import { shownDefault } from '../shown-value.ts';

const SuggestInput = lazy(() => import('../../ui/SuggestInput.tsx'));

/** A time zone by its name, from the list of zones. */
export function TimezoneField(props: FieldProps) {
  const { field, path } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const text = typeof value === 'string' ? value : '';
  const messages = [...useMessages(field, path, value), ...unknownZone(text)];
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')], []);
  const change = (next: string): void => set(next === '' ? undefined : next);
  return (
    <FieldFrame {...props} native value={value} messages={messages} onReset={() => set(undefined)}>
      {(ids) => (
        <Suspense fallback={<Input mono id={ids.control} value={text} onValueChange={change} />}>
          <SuggestInput
            id={ids.control}
            value={text}
            onValueChange={change}
            options={zones}
            placeholder={shownDefault(field.defaultValue)}
            invalid={ids.invalid}
            aria-describedby={ids.describedBy}
          />
        </Suspense>
      )}
    </FieldFrame>
  );
}

/** Zones that are not in any list but are understood, such as `Etc/GMT+1`, are accepted. */
function unknownZone(name: string): FieldMessage[] {
  if (name === '') return [];
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return [];
  } catch {
    return [{ severity: 'error', text: `There is no time zone ${name}; choose one from the list.` }];
  }
}
