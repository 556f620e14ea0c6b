import { lazy, Suspense } from 'react';
import { type CronPlan, cronOf, FIRST_PLANS, planOf } from '#shared/cron-plan.ts';
import { Input } from '../../ui/Input.tsx';
import { Select } from '../../ui/Select.tsx';
import { ToggleButtons } from '../../ui/ToggleButtons.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';

const NextTimes = lazy(() => import('./NextTimes.tsx'));

const KINDS: readonly { readonly value: CronPlan['kind']; readonly label: string }[] = [
  { value: 'minutes', label: 'Every few minutes' },
  { value: 'hourly', label: 'Every hour' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'On days of the week' },
  { value: 'monthly', label: 'Once a month' },
  { value: 'custom', label: 'By a cron pattern' },
];
/** Monday first. */
const DAYS = [
  [1, 'Monday'],
  [2, 'Tuesday'],
  [3, 'Wednesday'],
  [4, 'Thursday'],
  [5, 'Friday'],
  [6, 'Saturday'],
  [0, 'Sunday'],
] as const;

type Builder = Exclude<CronPlan, { kind: 'custom' }>;

/** A repeated schedule: chosen in words, or written as a cron pattern; with its next times. */
export function CronField(props: FieldProps) {
  const { field, path } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  const timezone = useValue([...path.slice(0, -1), 'timezone']);
  const cron = typeof value === 'string' ? value : '';
  const plan = planOf(cron);
  const choose = (kind: CronPlan['kind']): void => {
    // The pattern stays and can be edited.
    if (kind !== 'custom') set(cronOf(FIRST_PLANS[kind] as Builder));
  };
  return (
    <FieldFrame {...props} native value={value} messages={messages}>
      {(ids) => (
        <div className="flex flex-col gap-1.5">
          <Select label="How often" value={plan.kind} onValueChange={choose} options={KINDS} />
          {plan.kind !== 'custom' && <PlanFields plan={plan} onChange={(next) => set(cronOf(next))} />}
          <Input
            mono
            id={ids.control}
            value={cron}
            onValueChange={set}
            placeholder="0 9 * * 1-5"
            aria-describedby={ids.describedBy}
            aria-invalid={ids.invalid || undefined}
            data-invalid={ids.invalid ? '' : undefined}
          />
          {cron.trim() !== '' && (
            <Suspense fallback={null}>
              <NextTimes
                cron={cron}
                timezone={typeof timezone === 'string' ? timezone : 'UTC'}
                isToldOf={messages.length > 0}
              />
            </Suspense>
          )}
        </div>
      )}
    </FieldFrame>
  );
}

function PlanFields({ plan, onChange }: { plan: Builder; onChange(plan: Builder): void }) {
  switch (plan.kind) {
    case 'minutes':
      return (
        <NumberLine
          before="Every"
          after="minutes"
          label="Minutes between two runs"
          bounds={[1, 59]}
          value={plan.every}
          onChange={(every) => onChange({ ...plan, every })}
        />
      );
    case 'hourly':
      return (
        <NumberLine
          before="At minute"
          label="Minute of the hour"
          bounds={[0, 59]}
          value={plan.minute}
          onChange={(minute) => onChange({ ...plan, minute })}
        />
      );
    case 'daily':
      return <TimeLine time={plan.time} onChange={(time) => onChange({ ...plan, time })} />;
    case 'weekly':
      return (
        <>
          <DayToggles days={plan.days} onChange={(days) => onChange({ ...plan, days })} />
          <TimeLine time={plan.time} onChange={(time) => onChange({ ...plan, time })} />
        </>
      );
    case 'monthly':
      return (
        <>
          <NumberLine
            before="On day"
            after="of the month"
            label="Day of the month"
            bounds={[1, 31]}
            value={plan.day}
            onChange={(day) => onChange({ ...plan, day })}
          />
          <TimeLine time={plan.time} onChange={(time) => onChange({ ...plan, time })} />
        </>
      );
  }
}

interface NumberLineProps {
  before: string;
  after?: string;
  label: string;
  bounds: readonly [min: number, max: number];
  value: number;
  onChange(value: number): void;
}

function NumberLine({ before, after, label, bounds: [min, max], value, onChange }: NumberLineProps) {
  return (
    <div className="flex items-center gap-2 text-xs">
      <span aria-hidden>{before}</span>
      <Input
        type="number"
        min={min}
        max={max}
        aria-label={label}
        value={String(value)}
        onValueChange={(text) => {
          const next = Number(text);
          if (text !== '' && Number.isInteger(next) && next >= min && next <= max) onChange(next);
        }}
        className="!w-16"
      />
      {after !== undefined && <span aria-hidden>{after}</span>}
    </div>
  );
}

function TimeLine({ time, onChange }: { time: string; onChange(time: string): void }) {
  return (
    <div className="flex items-center gap-2 text-xs">
      <span aria-hidden>At</span>
      <Input
        type="time"
        aria-label="Time of day"
        value={time}
        onValueChange={(next) => next !== '' && onChange(next.slice(0, 5))}
        className="!w-28"
      />
    </div>
  );
}

/** At least one day stays chosen. */
function DayToggles({ days, onChange }: { days: readonly number[]; onChange(days: number[]): void }) {
  return (
    <ToggleButtons
      label="Days of the week"
      fill
      options={DAYS.map(([day, name]) => ({ value: String(day), label: name, short: name.slice(0, 2) }))}
      chosen={days.map(String)}
      onChange={(next) => {
        if (next.length > 0) onChange(next.map(Number).sort((a, b) => a - b));
      }}
    />
  );
}
