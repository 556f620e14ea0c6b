import { type Bus, createLocalBus } from '../storage/bus.ts';
import { type ToProcess, tellSupervisor } from '../process/supervisor-channel.ts';

/**
 * The bus of the processes of one machine: their supervisor hands each notice on. `failed` gets what listeners throw. None is lost
 * while a process lives, and one that starts reads everything.
 */
export function createProcessBus(failed: (error: unknown) => void): Bus {
  const local = createLocalBus(failed);
  const receive = (message: ToProcess): void => {
    if (message.tell === 'notice') local.receive(message.topic, message.name);
  };
  process.on('message', receive);
  return {
    ...local,
    publish(topic, name = '') {
      local.publish(topic, name);
      tellSupervisor({ tell: 'notice', topic, name });
    },
    close: async () => void process.off('message', receive),
  };
}
