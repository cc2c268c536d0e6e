"""Iterator chains: `n |> map(i => ...)`, which compute something for every element along an axis at once."""
