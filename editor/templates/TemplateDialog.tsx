import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Template } from '#shared/template.ts';
import { flowFromTemplate, readShop } from '../api/templates.ts';
import { rememberInput, rememberNext } from '../state/run-inputs.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { FlowPicture } from './FlowPicture.tsx';
import { isOfShop, ships } from './shipped-needs.ts';
import { NeedStep } from './NeedStep.tsx';

interface TemplateDialogProps {
  template: Template;
  onClose(): void;
}

/** A description of a template, then a step for each thing that it needs; the last one makes the draft and opens it. */
export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const { title, text, needs } = template;
  const [step, setStep] = useState(0);
  const [choices, setChoices] = useState<Readonly<Record<string, string>>>({});
  const { make, busy, error } = useMaking(template, onClose);
  const ships = useShips(needs);
  const need = needs[step - 1];
  const isLast = step === needs.length;
  const forward = (chosen = choices): void => {
    if (isLast) void make(chosen);
    else setStep(step + 1);
  };
  const skip = (): void => {
    const { [need?.name ?? '']: _, ...rest } = choices;
    setChoices(rest);
    forward(rest);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={need ? `${step} of ${needs.length}: ${need.title}` : text}
      footer={
        <Steps
          onBack={step > 0 ? () => setStep(step - 1) : undefined}
          onLater={need ? skip : undefined}
          onTry={!need && ships ? () => void make(ships) : undefined}
          onNext={() => forward()}
          next={isLast ? 'Open as a draft' : 'Next'}
          busy={busy}
        />
      }
    >
      {need ? (
        <NeedStep
          key={need.name}
          need={need}
          chosen={choices[need.name]}
          onChoose={(choice) => setChoices((all) => ({ ...all, [need.name]: choice }))}
        />
      ) : (
        <About template={template} canTry={ships !== undefined} />
      )}
      {error !== undefined && (
        <p role="alert" className="mt-3 text-bad">
          {error}
        </p>
      )}
    </Dialog>
  );
}

function About({ template, canTry }: { template: Template; canTry: boolean }) {
  const { title, next, needs, flow, layout } = template;
  return (
    <div className="flex flex-col gap-3">
      <div className="h-44 rounded-lg border border-line bg-surface-2 p-3">
        <FlowPicture flow={flow} layout={layout} label={`What “${title}” looks like`} />
      </div>
      {needs.length > 0 && <Needs needs={needs} />}
      <section className="flex flex-col gap-1.5">
        <h3 className={sectionTitle}>After the first run</h3>
        <p className="text-xs">{next}</p>
      </section>
      {canTry && (
        <p className="text-text-2">
          <b>Try it now</b> opens it with what ships with Weft, without an account. <b>Next</b> asks for what
          is yours.
        </p>
      )}
    </div>
  );
}

/** Its needs, and what each has to have, before anybody chooses. */
function Needs({ needs }: Pick<Template, 'needs'>) {
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className={sectionTitle}>What it needs</h3>
      <ul className="flex flex-col gap-1.5 text-xs">
        {needs.map(({ name, title, text, expects }) => (
          <li key={name}>
            <span className="font-medium">{title}.</span> <span className="text-text-2">{text}</span>
            {expects !== undefined && (
              <span className="block text-text-2">
                <ProseText text={expects} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface StepsProps {
  /** Undefined at the first step. */
  onBack: (() => void) | undefined;
  /** Undefined where nothing is asked. */
  onLater: (() => void) | undefined;
  /** Opens it with what ships; undefined where something does not, and behind the first step. */
  onTry: (() => void) | undefined;
  onNext(): void;
  next: string;
  busy: boolean;
}

function Steps({ onBack, onLater, onTry, onNext, next, busy }: StepsProps) {
  return (
    <>
      {onBack && (
        <Button variant="ghost" className="mr-auto" onClick={onBack}>
          Back
        </Button>
      )}
      {onLater && (
        <Button variant="ghost" disabled={busy} onClick={onLater}>
          Later
        </Button>
      )}
      {onTry ? (
        <>
          <Button variant="ghost" disabled={busy} onClick={onNext}>
            {next}
          </Button>
          <Button variant="primary" busy={busy} onClick={onTry}>
            Try it now
          </Button>
        </>
      ) : (
        <Button variant="primary" busy={busy} onClick={onNext}>
          {next}
        </Button>
      )}
    </>
  );
}

/** The choice of what ships for every need; undefined where one must be made, or nothing is needed. */
function useShips(needs: Template['needs']): Readonly<Record<string, string>> | undefined {
  const shop = useQuery({ queryKey: ['shop'], queryFn: readShop, enabled: needs.some(isOfShop) });
  const isShipped = needs.every((need) => ships(need) && (!isOfShop(need) || shop.data?.here === true));
  return isShipped && needs.length > 0
    ? Object.fromEntries(needs.map(({ name }) => [name, name]))
    : undefined;
}

/** Makes the draft, gives its run dialog the sample as the last input, and goes there. */
function useMaking({ id, next }: Template, onClose: () => void) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const make = async (choices: Readonly<Record<string, string>>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { flow, sample } = await flowFromTemplate(id, { choices });
      rememberInput(flow, sample.trigger, JSON.stringify(sample.input, null, 2));
      rememberNext(flow, next);
      void queries.invalidateQueries({ queryKey: ['flows'] });
      await navigate({ to: '/flows/$id', params: { id: flow } });
      onClose();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return { make, busy, error };
}
