/** A type that the compiler keeps apart from others of the same shape: a `TripId` is not a `StopId`. */
export type Brand<Base, Name extends string> = Base & { readonly __brand: Name };
