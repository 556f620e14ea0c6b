import { ErrorHandling } from './ErrorHandling.tsx';
import { GeneralSettings } from './GeneralSettings.tsx';
import { ItemSettings } from './ItemSettings.tsx';

/** The fields of *Behaviour*, which is closed at first, so that they are loaded after the rest. */
export function BehaviourFields({ id }: { id: string }) {
  return (
    <>
      <ItemSettings id={id} />
      <ErrorHandling id={id} />
      <GeneralSettings id={id} />
    </>
  );
}
