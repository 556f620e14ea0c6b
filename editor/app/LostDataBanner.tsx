import { Banner } from '../ui/Banner.tsx';
import { useServer } from '../session/app-context.tsx';

/** Shown while the server misses stores of its data folder: what is not there was not deleted by anybody here. */
export function LostDataBanner() {
  const lost = useServer((state) => state.session?.lost);
  if (lost === undefined || lost.length === 0) return null;
  return <Banner tone="bad">Data of this server are lost. {lost.join(' ')}</Banner>;
}
