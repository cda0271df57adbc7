! SPDX-License-Identifier: MIT
! mpi_ring.F90: ranks that send round a ring, and to the first one, in Fortran. With F08 by the module mpi_f08.
program mpi_ring
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: error, rank, size, got, sum, i
#ifdef F08
  type(MPI_Status) :: statuses(2), status
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: twin
#else
  integer :: statuses(MPI_STATUS_SIZE, 2), status(MPI_STATUS_SIZE), requests(2), twin
#endif

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  sum = 0
  do i = 1, 10
    call MPI_Irecv(got, 1, MPI_INTEGER, mod(rank + size - 1, size), 5, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + 1, size), 5, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, statuses, error)
    sum = sum + got
  end do
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, error)
  if (rank == 0) then
    do i = 1, size - 1
      call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, twin, status, error)
      sum = sum + got
    end do
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 7, twin, error)
  end if
  call MPI_Allreduce(sum, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'sum ', got
  call MPI_Finalize(error)
end program mpi_ring
