"""Worker processes that load datasets: started fresh, without the program's main module, and gone with their pool.

`pool` is what a loop talks to. It writes the dataset to memory that the workers share (`payload`, `memory`), starts
them (`process`), and takes batches from them in order. `worker` is what runs in each. Nothing here is loaded before a
loop needs workers.
"""
