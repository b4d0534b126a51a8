! Mechanisms constrained from Fortran, against known values. Indices of the library count from 0.
module mechanisms
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: dp = c_double, particles = 500
  type(c_ptr) :: ode
  integer :: failures = 0

  interface
    integer(c_int32_t) function taut_ode_new(states, n, positions, rates, rows, phi, user, ode) bind(c)
      import
      integer(c_size_t), value :: states, n, rows
      integer(c_size_t), intent(in) :: positions(*), rates(*)
      type(c_funptr), value :: phi
      type(c_ptr), value :: user
      type(c_ptr), intent(out) :: ode
    end function
    integer(c_int32_t) function taut_ode_set_mass_dense(ode, M, symmetric) bind(c)
      import
      type(c_ptr), value :: ode
      real(c_double), intent(in) :: M(*)
      integer(c_int32_t), value :: symmetric
    end function
    integer(c_int32_t) function taut_ode_set_mass_diagonal(ode, diagonal) bind(c)
      import
      type(c_ptr), value :: ode
      real(c_double), intent(in) :: diagonal(*)
    end function
    integer(c_int32_t) function taut_ode_set_scale(ode, coordinates, time) bind(c)
      import
      type(c_ptr), value :: ode
      real(c_double), intent(in) :: coordinates(*)
      real(c_double), value :: time
    end function
    integer(c_int32_t) function taut_ode_set_nonzeros(ode, count, rows, columns) bind(c)
      import
      type(c_ptr), value :: ode
      integer(c_size_t), value :: count
      integer(c_size_t), intent(in) :: rows(*), columns(*)
    end function
    integer(c_int32_t) function taut_ode_rates(ode, t, y, ydot, f, user, quality) bind(c)
      import
      type(c_ptr), value :: ode, user, quality
      real(c_double), value :: t
      real(c_double), intent(in) :: y(*)
      real(c_double), intent(out) :: ydot(*)
      type(c_funptr), value :: f
    end function
    integer(c_int32_t) function taut_ode_project(ode, t, y, projection) bind(c)
      import
      type(c_ptr), value :: ode, projection
      real(c_double), value :: t
      real(c_double), intent(inout) :: y(*)
    end function
    integer(c_int32_t) function taut_ode_multipliers(ode, lambda, mu, nu) bind(c)
      import
      type(c_ptr), value :: ode, mu, nu
      real(c_double), intent(out) :: lambda(*)
    end function
    integer(c_int32_t) function taut_ode_residuals(ode, t, y, position, velocity) bind(c)
      import
      type(c_ptr), value :: ode
      real(c_double), value :: t
      real(c_double), intent(in) :: y(*)
      real(c_double), intent(out) :: position, velocity
    end function
    subroutine taut_ode_free(ode) bind(c)
      import
      type(c_ptr), value :: ode
    end subroutine
  end interface

contains

  subroutine compare(what, found, known, tolerance)
    character(*), intent(in) :: what
    real(dp), intent(in) :: found, known, tolerance
    logical :: good
    good = abs(found - known) <= tolerance
    print '(a,1x,a,2es22.13)', merge('ok  ', 'FAIL', good), what, found, known
    if (.not. good) failures = failures + 1
  end subroutine

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status
    if (status /= 0) then
      print *, 'FAIL status', status
      stop 1
    end if
  end subroutine

  subroutine make(n, rows, phi)
    integer, intent(in) :: n, rows
    type(c_funptr), intent(in) :: phi
    integer(c_size_t) :: q(n), v(n)
    integer :: i
    q = [(int(i - 1, c_size_t), i = 1, n)]
    v = q + n
    call check(taut_ode_new(2_c_size_t*n, int(n, c_size_t), q, v, int(rows, c_size_t), phi, c_null_ptr, ode))
  end subroutine

  subroutine rk4(f, y, h, steps)
    type(c_funptr), intent(in) :: f
    real(dp), intent(inout) :: y(:)
    real(dp), intent(in) :: h
    integer, intent(in) :: steps
    real(dp) :: k(size(y), 4), c(4)
    integer :: step, s
    c = [0.0_dp, 0.5_dp, 0.5_dp, 1.0_dp]
    do step = 0, steps - 1
      do s = 1, 4
        if (s == 1) then
          call check(taut_ode_rates(ode, h*step, y, k(:, 1), f, c_null_ptr, c_null_ptr))
        else
          call check(taut_ode_rates(ode, h*step + c(s)*h, y + c(s)*h*k(:, s - 1), k(:, s), f, c_null_ptr, c_null_ptr))
        end if
      end do
      y = y + h/6*(k(:, 1) + 2*k(:, 2) + 2*k(:, 3) + k(:, 4))
      call check(taut_ode_project(ode, h*(step + 1), y, c_null_ptr))
    end do
  end subroutine

  subroutine residuals(t, y, phi_bound, rate_bound)
    real(dp), intent(in) :: t, y(:), phi_bound, rate_bound
    real(dp) :: phi, rate
    call check(taut_ode_residuals(ode, t, y, phi, rate))
    call compare('  phi', phi, 0.0_dp, phi_bound)
    call compare('  rate of phi', rate, 0.0_dp, rate_bound)
  end subroutine

  integer(c_int32_t) function falling(t, y, ydot, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(4)
    real(c_double), intent(out) :: ydot(4)
    type(c_ptr), value :: user
    ydot = [y(3), y(4), 0.0_dp, -9.81_dp]
    falling = 0
  end function

  integer(c_int32_t) function rod(t, q, phi, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: q(2)
    real(c_double), intent(out) :: phi(1)
    type(c_ptr), value :: user
    phi(1) = hypot(q(1), q(2)) - 1
    rod = 0
  end function

  integer(c_int32_t) function blade(t, y, ydot, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(4)
    real(c_double), intent(out) :: ydot(4)
    type(c_ptr), value :: user
    real(dp), parameter :: w = 40, ib = 416.67_dp, ix = 1.875e-2_dp, ip = 9.375e-2_dp
    real(dp) :: f1, f2, det
    det = ib*ip - ix*ix
    f1 = 1e4_dp*cos(w*t + acos(-1.0_dp)/2) - 0.5_dp*w*ib*y(3) - ib*w*w*1.0625_dp*y(1) + ix*w*w*y(2)
    f2 = -ip*w*w*y(2) + ix*w*w*y(1)
    ydot = [y(3), y(4), (ip*f1 + ix*f2)/det, (ix*f1 + ib*f2)/det]
    blade = 0
  end function

  integer(c_int32_t) function link_length(t, q, phi, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: q(2)
    real(c_double), intent(out) :: phi(1)
    type(c_ptr), value :: user
    phi(1) = norm2([0.05_dp*cos(q(1)) - 0.2_dp*sin(q(1))*sin(q(2)) - 0.05_dp, 0.2_dp*cos(q(2)) - 0.2_dp, &
      0.05_dp*sin(q(1)) + 0.2_dp*cos(q(1))*sin(q(2)) + 0.15_dp]) - 0.15_dp
    link_length = 0
  end function

  integer(c_int32_t) function falling_bars(t, y, ydot, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(30)
    real(c_double), intent(out) :: ydot(30)
    type(c_ptr), value :: user
    ydot(1:15) = y(16:30)
    ydot(16:30) = 0
    ydot(17:30:3) = -9.81_dp
    falling_bars = 0
  end function

  integer(c_int32_t) function pins(t, q, phi, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: q(3, 5)
    real(c_double), intent(out) :: phi(2, 7)
    type(c_ptr), value :: user
    integer :: k
    do k = 1, 3
      phi(:, k) = tip(q(:, k), -0.5_dp) - [k - 1.0_dp, 0.0_dp]
    end do
    phi(:, 4) = tip(q(:, 4), -0.5_dp) - tip(q(:, 1), 0.5_dp)
    phi(:, 5) = tip(q(:, 4), 0.5_dp) - tip(q(:, 2), 0.5_dp)
    phi(:, 6) = tip(q(:, 5), -0.5_dp) - tip(q(:, 2), 0.5_dp)
    phi(:, 7) = tip(q(:, 5), 0.5_dp) - tip(q(:, 3), 0.5_dp)
    pins = 0
  end function

  pure function tip(body, s) result(p)
    real(dp), intent(in) :: body(3), s
    real(dp) :: p(2)
    p = body(1:2) + s*[cos(body(3)), sin(body(3))]
  end function

  integer(c_int32_t) function falling_chain(t, y, ydot, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(4*particles)
    real(c_double), intent(out) :: ydot(4*particles)
    type(c_ptr), value :: user
    ydot(1:2*particles) = y(2*particles + 1:)
    ydot(2*particles + 1::2) = 0
    ydot(2*particles + 2::2) = -9.81_dp
    falling_chain = 0
  end function

  integer(c_int32_t) function rods(t, q, phi, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: q(2, particles)
    real(c_double), intent(out) :: phi(particles)
    type(c_ptr), value :: user
    integer :: k
    phi(1) = norm2(q(:, 1)) - 0.01_dp
    do k = 2, particles
      phi(k) = norm2(q(:, k) - q(:, k - 1)) - 0.01_dp
    end do
    rods = 0
  end function

end module

program main
  use mechanisms
  implicit none
  real(dp) :: y(4), ydot(4), bars(30), mass(15), lambda(1), tension(particles)
  real(dp) :: chain(4*particles), rates(4*particles)
  integer(c_size_t) :: rows(4*particles - 2), columns(4*particles - 2)
  integer :: i, k, count

  call make(2, 1, c_funloc(rod))
  y = [1, 0, 0, 0]
  call rk4(c_funloc(falling), y, 1e-3_dp, 2000)
  call compare('pendulum x at 2 s', y(1), 0.79356619534_dp, 2e-9_dp)
  call residuals(2.0_dp, y, 1e-15_dp, 1e-12_dp)
  call taut_ode_free(ode)

  call make(2, 1, c_funloc(link_length))
  call check(taut_ode_set_mass_dense(ode, [416.67_dp, -1.875e-2_dp, -1.875e-2_dp, 9.375e-2_dp], 1))
  y = 0
  call rk4(c_funloc(blade), y, 2.5e-4_dp, 4000)
  call compare('flap at 1 s', y(1), -0.022450561923_dp, 1e-8_dp)
  call compare('pitch at 1 s', y(2), 0.005613610316_dp, 1e-8_dp)
  call check(taut_ode_rates(ode, 1.0_dp, y, ydot, c_funloc(blade), c_null_ptr, c_null_ptr))
  call check(taut_ode_multipliers(ode, lambda, c_null_ptr, c_null_ptr))
  call compare('link force at 1 s', lambda(1), 0.002018908_dp, 1e-6_dp)
  call residuals(1.0_dp, y, 1e-15_dp, 1e-13_dp)
  call taut_ode_free(ode)

  call make(15, 14, c_funloc(pins))
  mass = 1
  mass(3::3) = 1.0_dp/12
  call check(taut_ode_set_mass_diagonal(ode, mass))
  bars = 0
  do k = 0, 2
    bars(3*k + 1:3*k + 3) = [real(k, dp), 0.5_dp, acos(0.0_dp)]
    bars(16 + 3*k) = 0.5_dp
    bars(18 + 3*k) = -1
  end do
  bars([10, 11, 13, 14, 25, 28]) = [0.5_dp, 1.0_dp, 1.5_dp, 1.0_dp, 1.0_dp, 1.0_dp]
  call rk4(c_funloc(falling_bars), bars, 1e-3_dp, 500)
  call compare('crank angle at 0.5 s', bars(3), 0.801977699239597_dp, 1e-8_dp)
  call residuals(0.5_dp, bars, 1e-14_dp, 1e-11_dp)
  call taut_ode_free(ode)

  call make(2*particles, particles, c_funloc(rods))
  count = 0
  chain = 0
  do k = 0, particles - 1
    chain(2*k + 2) = -0.01_dp*(k + 1)
    do i = max(0, 2*k - 2), 2*k + 1
      count = count + 1
      rows(count) = k
      columns(count) = i
    end do
  end do
  call check(taut_ode_set_nonzeros(ode, int(count, c_size_t), rows, columns))
  call check(taut_ode_set_scale(ode, [(0.01_dp, k = 1, 2*particles)], 1.0_dp))
  call check(taut_ode_project(ode, 0.0_dp, chain, c_null_ptr))
  call check(taut_ode_rates(ode, 0.0_dp, chain, rates, c_funloc(falling_chain), c_null_ptr, c_null_ptr))
  call check(taut_ode_multipliers(ode, tension, c_null_ptr, c_null_ptr))
  call compare('chain tensions', maxval(abs(abs(tension) - 9.81_dp*[(particles - k, k = 0, particles - 1)])) &
    /(9.81_dp*particles), 0.0_dp, 1e-6_dp)
  call residuals(0.0_dp, chain, 1e-15_dp, 1e-12_dp)
  call taut_ode_free(ode)
  if (failures > 0) stop 1
end program
