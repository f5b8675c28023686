// What calls MPI, in C: constants of MPI are no constants of C. Functions with a result of type int
// return a status of MPI, where nothing else is said.

#include <stdlib.h>
#include <mpi.h>

// transfer is a message that MPI sends or receives.
typedef struct {
	MPI_Request request;
	void *buffer;
	int length, other, tag;
} transfer;

// The room for texts of MPI.
enum { error_room = MPI_MAX_ERROR_STRING + 1, library_room = MPI_MAX_LIBRARY_VERSION_STRING + 1 };

// ranks_begin starts MPI. From then on only who has reserved MPI may call it.
int ranks_begin(int *level, int *rank, int *size);

// ranks_serialized tells whether a level allows that.
int ranks_serialized(int level);

// ranks_gather puts n bytes of each rank one after the other.
int ranks_gather(void *own, int n, void *all);

// ranks_finish ends MPI.
int ranks_finish(void);

// ranks_abandon ends the processes of all ranks.
void ranks_abandon(void);

// ranks_depart begins to send a buffer, which the transfer then owns.
int ranks_depart(void *buffer, int length, int to, int tag, transfer **out);

// ranks_arrive begins to receive the next message of any rank, or sets *out to NULL when there is none.
int ranks_arrive(transfer **out);

// ranks_complete tells whether a transfer is over.
int ranks_complete(transfer *t, int *done);

// ranks_error writes what a status means, and returns the length.
int ranks_error(int status, char *text);

// ranks_library writes the name and version of the library, and returns the length.
int ranks_library(char *text);

// ranks_take reserves MPI for the caller until ranks_leave, and tells whether it could.
int ranks_take(void);

// ranks_leave lets others call MPI.
void ranks_leave(void);

// ranks_doze waits until ranks_rouse is called, and at most for this time. It looks for messages after each pause, and
// returns when there is one.
void ranks_doze(long pause_microseconds, long limit_microseconds);

// ranks_rouse ends ranks_doze, or the next one.
void ranks_rouse(void);

// ranks_yield lets other threads run.
void ranks_yield(void);
