/** A digest of a text with 53 bits: enough to distinguish the requests of one run, and useless for guessing the text. */
export function digestOf(text: string): string {
  let [a, b] = [0xde_ad_be_ef, 0x41_c6_ce_57];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  const high = mixed(b, a);
  const low = mixed(a, b);
  return (4_294_967_296 * (high & 0x1f_ff_ff) + (low >>> 0)).toString(36);
}

function mixed(one: number, other: number): number {
  const first = Math.imul(one ^ (one >>> 16), 2_246_822_507);
  return first ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
}
