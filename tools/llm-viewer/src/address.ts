// The address behind the # says what is looked at, so that a reload or a link shows the same.

export interface Address {
  fn?: string;
  tab?: string;
  op?: string;
  run?: number;
  from?: number; // cycles of the function
  to?: number;
  sumFrom?: number; // the part of time that is summed up
  sumTo?: number;
  q?: string;
  critical?: number; // 1
  fold?: number; // 1
  theme?: string;
}

const texts = ["fn", "tab", "op", "q", "theme"] as const;
const numbers = ["run", "from", "to", "sumFrom", "sumTo", "critical", "fold"] as const;

export function readAddress(hash = location.hash): Address {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const address: Address = {};
  for (const key of texts) address[key] = parameters.get(key) ?? undefined;
  for (const key of numbers) {
    const value = Number(parameters.get(key) || NaN);
    if (Number.isFinite(value) && value >= 0) address[key] = value;
  }
  return address;
}

/// Writes the address into the history, as a new entry or into the current one. The page is not loaded again.
export function writeAddress(address: Address, isNew: boolean): void {
  const parameters = new URLSearchParams();
  for (const key of [...texts, ...numbers].filter((each) => address[each] !== undefined))
    parameters.set(key, String(address[key]));
  const hash = `#${parameters}`;
  if (hash === (location.hash || "#")) return;
  try {
    if (isNew) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  } catch {
    // A page without an address of its own, as in a frame, does without.
  }
}
